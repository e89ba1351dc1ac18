// Finds and starts the browser for tests.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];

export function findChromium(): string {
  const named = process.env.EYE_CHROMIUM;
  if (named !== undefined && named !== "") return named;
  const folders = (process.env.PATH ?? "").split(delimiter).concat("/usr/bin");
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error("no Chromium on PATH; name one in EYE_CHROMIUM");
  return found;
}

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function startChromium(...flags: string[]): Promise<Browser> {
  // Popups are blocked as in a person's browser.
  const ignoreDefaultArgs = ["--disable-popup-blocking"];
  return chromium.launch({ executablePath: findChromium(), args: [...ARGS, ...flags], ignoreDefaultArgs });
}

/** With WebMCP, which it has off unless asked. */
export function startWebMcpChromium(): Promise<Browser> {
  return startChromium("--enable-features=WebMCP");
}

/** Playwright turns the back/forward cache off; this browser has it on. */
export function startCachingChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: ARGS,
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
}

/** A browser without a debugger, whose tabs can be hidden; returns how to end it. */
export async function startBareChromium(url: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "eye-client-chromium-"));
  const child = spawn(
    findChromium(),
    ["--headless", "--no-first-run", "--disable-popup-blocking", `--user-data-dir=${folder}`, ...ARGS, url],
    { stdio: "ignore" },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return async () => {
    child.kill();
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}
