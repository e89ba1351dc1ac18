// A real nginx in front of a site, with an additional block in its server configuration.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness/ports.js";
import { findProgram } from "../../harness/program.js";
import { until } from "../../harness/until.js";

/**
 * The owner of nginx's connections: if started by root, nginx runs its workers as another user; otherwise they are
 * ours.
 */
export const NGINX_USER = process.getuid?.() === 0 ? "daemon" : undefined;

export class Nginx {
  private constructor(
    readonly url: string,
    readonly folder: string,
    readonly process: ChildProcess,
  ) {}

  static async start(site: string, block: string): Promise<Nginx> {
    const folder = await mkdtemp(join(tmpdir(), "eye-e2e-nginx-"));
    const port = await freePort();
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(" ");
    const server = `server { listen 127.0.0.1:${String(port)}; location / { proxy_pass ${site}; }\n${block} }`;
    await writeFile(
      join(folder, "nginx.conf"),
      `${NGINX_USER === undefined ? "" : `user ${NGINX_USER};`} daemon off; pid ${folder}/pid; events {}\nhttp { access_log off; ${places}\n${server} }\n`,
    );
    const log = join(folder, "error.log");
    const child = spawn(findProgram("EYE_NGINX", "nginx"), ["-e", log, "-c", join(folder, "nginx.conf")], {
      stdio: "ignore",
    });
    const url = `http://localhost:${String(port)}`;
    await until("nginx answers", async () => {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${await readFile(log, "utf8")}`);
      return fetch(url).then(
        () => true,
        () => undefined,
      );
    });
    return new Nginx(url, folder, child);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    if (this.process.exitCode === null && this.process.kill("SIGQUIT")) await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
