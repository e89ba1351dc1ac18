// Finds Chromium and starts it: driven by playwright, or bare, with no debugger attached at all.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function findChromium(): string {
  const named = process.env.EYE_CHROMIUM;
  if (named !== undefined && named !== "") return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error("no Chromium on PATH; name one in EYE_CHROMIUM");
  return found;
}

export function startChromium(...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...FLAGS, ...more] });
}

/** A browser as people have it: tabs may be hidden, and pages are kept for the way back, which a debugger prevents. */
export class BareChromium {
  private constructor(
    readonly process: ChildProcess,
    readonly folder: string,
  ) {}

  static async open(url: string, ...more: string[]): Promise<BareChromium> {
    const folder = await mkdtemp(join(tmpdir(), "eye-e2e-chromium-"));
    const flags = [...FLAGS, "--disable-popup-blocking", `--user-data-dir=${folder}`, ...more];
    return new BareChromium(spawn(findChromium(), [...flags, url], { stdio: "ignore" }), folder);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    if (this.process.exitCode === null && this.process.kill()) await ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
