// A project of web/e2e/projects with its real dev server: copied, so that a test may edit its files, and started with
// Vite's own command.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { Home } from "../../harness/home.js";
import { until } from "../../harness/until.js";
import { program, web } from "../../harness/program.js";

const LOCAL = /Local:\s+(https?:\/\/\S+)\s/;
// Vite colours its output when it detects a terminal.
const COLOURS = /\u001b\[[\d;]*m/g;
/** Longer than the 50 ms in which the watcher drops changes. */
const SAVE_AGAIN_MS = 250;

export interface DevOptions {
  /** Whether `eye` is on the dev server's PATH. */
  readonly eye?: boolean;
  readonly args?: readonly string[];
  /**
   * Files that are added to the project or replace its own, by name. If they were added later, Vite would reload its
   * pages.
   */
  readonly files?: Readonly<Record<string, string>>;
}

export class Dev {
  #output = "";

  private constructor(
    readonly folder: string,
    readonly process: ChildProcess,
  ) {
    for (const stream of [process.stdout, process.stderr])
      stream?.on("data", (bytes: Buffer) => (this.#output += bytes.toString().replace(COLOURS, "")));
  }

  static async start(
    project: string,
    home: Home,
    { eye = false, args = [], files = {} }: DevOptions = {},
  ): Promise<Dev> {
    const folder = await copied(project);
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const path = [...(eye ? [dirname(program())] : []), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
    const dev = new Dev(
      folder,
      spawn(process.execPath, [vite(), "--port", "0", ...args], {
        cwd: folder,
        env: { ...home.env, PATH: path },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    await dev.prints(LOCAL);
    return dev;
  }

  /** All output of the dev server. */
  get output(): string {
    return this.#output;
  }

  get url(): string {
    return LOCAL.exec(this.#output)?.[1] ?? "";
  }

  prints(words: RegExp): Promise<RegExpExecArray> {
    return until(`the dev server says ${String(words)}`, () => {
      if (this.process.exitCode !== null) throw new Error(`the dev server ended: ${this.#output}`);
      return words.exec(this.#output) ?? undefined;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; it said: ${this.#output}`);
    });
  }

  /**
   * Replaces text in a file of the project, and waits until Vite serves the new version. Vite's watcher (chokidar)
   * drops a change of a file within 50 ms after the previous one, even after Vite has reported that one, and never
   * reports it later: a file that is still served unchanged is therefore saved again.
   */
  async edit(file: string, from: string | RegExp, to: string): Promise<void> {
    const path = join(this.folder, file);
    const text = await readFile(path, "utf8");
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`${file} has no ${String(from)}`);
    const before = await this.#served(file);
    const taken = async () => (await this.#served(file)) !== before || undefined;
    await until(`Vite serves the edited ${file}`, async () => {
      await overwrite(path, edited);
      return until(`Vite takes the edited ${file}`, taken, SAVE_AGAIN_MS).catch(() => undefined);
    });
  }

  /** A module as pages receive it, without the times that Vite appends to its imports. */
  async #served(file: string): Promise<string> {
    const response = await fetch(new URL(file, this.url));
    return (await response.text()).replace(/[?&]t=\d+/g, "");
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    if (this.process.exitCode === null && this.process.kill()) await ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Builds a project for production, and returns the output folder. */
export async function built(project: string): Promise<{ readonly folder: string; close(): Promise<void> }> {
  const folder = await copied(project);
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite(), "build"], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`the build failed: ${stdout}${stderr}`);
  return { folder: join(folder, "dist"), close: () => rm(folder, { recursive: true, force: true }) };
}

/** A file of a project, as it is before any test. */
export function projectFile(project: string, file: string): string {
  return readFileSync(join(web(), "e2e/projects", project, file), "utf8");
}

/** Copied into the workspace, where the project's dependencies are found. */
async function copied(project: string): Promise<string> {
  const folder = await mkdtemp(join(web(), "e2e/.test-build/project-"));
  await cp(join(web(), "e2e/projects", project), folder, { recursive: true });
  return folder;
}

/**
 * One write without truncation, so that no reader sees a part of the file. Empty lines fill the rest of the old text's
 * length.
 */
async function overwrite(path: string, text: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    const bytes = Buffer.from(text);
    const rest = Math.max(0, (await file.stat()).size - bytes.length);
    await file.write(Buffer.concat([bytes, Buffer.alloc(rest, "\n")]), 0, null, 0);
  } finally {
    await file.close();
  }
}

function vite(): string {
  return join(web(), "node_modules/vite/bin/vite.js");
}
