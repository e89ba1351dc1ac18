// A hermetic home for one hub: its own folders and port, with the real CLI.

import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.js";
import { program } from "./program.js";
import { until } from "./until.js";

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

export interface Circumstances {
  readonly stdin?: string;
  /** An agent is identified by its working folder; each name is a folder of its own. */
  readonly folder?: string;
  readonly env?: Record<string, string>;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<CommandOutput>;
}

export interface Row {
  readonly id: string;
  readonly alias?: string;
  readonly title: string;
  readonly url: string;
  readonly origin: string;
  readonly state: "connected" | "away" | "gone";
  readonly visible: boolean;
  readonly parent?: string;
  readonly browser?: string;
  readonly window?: number;
  readonly eval: boolean;
  readonly pending: number;
  readonly current: boolean;
}

export interface Status {
  readonly pid: number;
  readonly pages: number;
  readonly pending: number;
}

export class Home {
  readonly #env: Record<string, string>;

  private constructor(
    readonly folder: string,
    readonly port: number,
    more: Readonly<Record<string, string>>,
  ) {
    this.#env = {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      XDG_RUNTIME_DIR: join(folder, "run"),
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_STATE_HOME: join(folder, "state"),
      EYE_PORT: String(port),
      ...more,
    };
  }

  /** Its commands and its hub get `more` in their environment. */
  static async open(more: Readonly<Record<string, string>> = {}): Promise<Home> {
    const folder = await mkdtemp(join(tmpdir(), "eye-home-"));
    for (const name of ["run", "config", "state", "work"]) await mkdir(join(folder, name), { mode: 0o700 });
    return new Home(folder, await freePort(), more);
  }

  /** A home with a running hub. */
  static async running(...flags: readonly string[]): Promise<Home> {
    const home = await Home.open();
    await home.up(...flags);
    return home;
  }

  /** The hub's URL for pages. */
  get url(): string {
    return `http://localhost:${String(this.port)}`;
  }

  /** The environment of this home's commands. */
  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  /** The hub's socket for agents. */
  get socket(): string {
    return join(this.folder, "run/eye/hub.sock");
  }

  async eye(...args: readonly string[]): Promise<CommandOutput> {
    return (await this.start(args)).ended;
  }

  async eyeWith(circumstances: Circumstances, ...args: string[]): Promise<CommandOutput> {
    return (await this.start(args, circumstances)).ended;
  }

  /** Starts the CLI and returns before it ends. */
  async start(
    args: readonly string[],
    { stdin = "", folder = "work", env = {} }: Circumstances = {},
  ): Promise<Running> {
    const cwd = join(this.folder, folder);
    await mkdir(cwd, { recursive: true });
    const child = spawn(program(), args, { cwd, env: { ...this.#env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    // A command may end before it has read all its input; that is not an error of the test.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    return { process: child, ended: ended(child) };
  }

  async up(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await this.eye("up", ...args);
    if (code !== 0) throw new Error(`the hub did not start: ${stderr}`);
  }

  /** Restarts the hub on the same port. */
  async restart(...flags: readonly string[]): Promise<void> {
    const { code, stderr } = await this.eye("down");
    if (code !== 0) throw new Error(`the hub did not end: ${stderr}`);
    await this.up(...flags);
  }

  async pages(): Promise<Row[]> {
    return JSON.parse((await this.eye("pages", "--json")).stdout) as Row[];
  }

  /** `undefined`: no hub runs. */
  async status(): Promise<Status | undefined> {
    const { code, stdout } = await this.eye("status", "--json");
    return code === 0 ? (JSON.parse(stdout) as Status) : undefined;
  }

  async token(): Promise<string> {
    return (await this.eye("token", "show")).stdout.trim();
  }

  async log(): Promise<string> {
    return readFile(join(this.folder, "state/eye/hub.log"), "utf8").catch(() => "");
  }

  /** Waits until the page of this session has joined. */
  async joined(session: string): Promise<Row> {
    return until(`${session} has joined`, async () =>
      (await this.pages()).find((row) => row.id === session && row.state === "connected"),
    );
  }

  /** Kills the hub, as a crash would. */
  async killHub(): Promise<void> {
    const status = await this.status();
    if (status === undefined) throw new Error("no hub to kill");
    process.kill(status.pid, "SIGKILL");
    await until("the hub is dead", () => (isAlive(status.pid) ? undefined : true));
  }

  async close(): Promise<void> {
    const pid = (await this.status())?.pid;
    await this.eye("down");
    if (pid !== undefined) {
      await until("the hub has ended", () => (isAlive(pid) ? undefined : true)).catch(() =>
        process.kill(pid, "SIGKILL"),
      );
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function ended(child: ChildProcess): Promise<CommandOutput> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr?.on("data", (bytes: Buffer) => err.push(bytes));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), code }),
    );
  });
}

/** A zombie counts as ended: a hub that was started in the background may have no parent to reap it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    // Its first thread may be a zombie while others still hold its sockets.
    const threads = readdirSync(`/proc/${String(pid)}/task`).length;
    return threads <= 1 && /^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, "utf8"));
  } catch {
    return false;
  }
}
