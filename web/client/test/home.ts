// A real hub in a hermetic home: its own folders and port, started and ended through the real CLI.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const PROGRAM = resolve(process.env.EYE_BIN ?? join(import.meta.dirname, "../../../target/debug/eye"));

export class Home {
  readonly #env: Record<string, string>;

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {
    this.#env = {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      XDG_RUNTIME_DIR: join(folder, "run"),
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_STATE_HOME: join(folder, "state"),
      EYE_PORT: String(port),
    };
  }

  /** A home with a hub that runs. */
  static async open(...flags: string[]): Promise<Home> {
    if (!existsSync(PROGRAM)) throw new Error(`no eye at ${PROGRAM}; cargo build -p eye, or name another with EYE_BIN`);
    const folder = await mkdtemp(join(tmpdir(), "eye-client-"));
    for (const name of ["run", "config", "state"]) await mkdir(join(folder, name), { mode: 0o700 });
    const home = new Home(folder, await freePort());
    await home.eye("up", ...flags);
    return home;
  }

  get url(): string {
    return `http://localhost:${String(this.port)}`;
  }

  get socket(): string {
    return join(this.folder, "run/eye/hub.sock");
  }

  /** The hub carries a copy of the page client; a test of ours is about the one that was built last. */
  async carriesOurClient(): Promise<void> {
    const built = readdirSync(join(import.meta.dirname, "../dist")).filter(
      // The half for driven browsers is carried by the program, and served to no page.
      (name) => name.endsWith(".js") && !["index.js", "driven.js"].includes(name),
    );
    for (const name of built) {
      const carried = await (await fetch(`${this.url}/${name === "eye.js" ? name : `eye/${name}`}`)).text();
      if (carried !== readFileSync(join(import.meta.dirname, "../dist", name), "utf8"))
        throw new Error(`the hub carries another ${name}; cargo build -p eye`);
    }
  }

  /** Rejects when the command fails. */
  async eye(...args: string[]): Promise<string> {
    const { stdout } = await run(PROGRAM, args, { cwd: this.folder, env: this.#env });
    return stdout.trim();
  }

  token(): Promise<string> {
    return this.eye("token", "show");
  }

  /** The hub ends and another takes its place, on the same port. */
  async restart(...flags: string[]): Promise<void> {
    await this.eye("down");
    await this.eye("up", ...flags);
  }

  async close(): Promise<void> {
    await this.eye("down").catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
