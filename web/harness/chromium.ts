// Finds Chromium and starts it: driven by playwright, or without any debugger.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext } from "playwright-core";
import { findProgram } from "./program.js";

/** Two internal pages that the browser keeps for each window's address bar: most of what a window costs. */
const OWN_PAGES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];
/**
 * Features that playwright disables and that may affect tests. Repeated here, because the browser uses only the last
 * list.
 */
const BY_PLAYWRIGHT = [
  ...["AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"],
  ...["DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"],
  ...["MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"],
  ...["ThirdPartyStoragePartitioning"],
];

const OWN_PAGES_OFF = `--disable-features=${OWN_PAGES.join(",")}`;

/** The flag that disables these features besides the usual ones, for a browser that playwright starts. */
export function without(...features: string[]): string {
  return `--disable-features=${[...OWN_PAGES, ...BY_PLAYWRIGHT, ...features].join(",")}`;
}

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
  return findProgram("EYE_CHROMIUM", "chromium", "chromium-browser", "google-chrome", "chrome");
}

export function startChromium(...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...FLAGS, without(), ...more] });
}

/** Starts Chromium without some of playwright's own arguments. */
export function startChromiumWithout(left: readonly string[], ...more: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [...FLAGS, without(), ...more],
    ignoreDefaultArgs: [...left],
  });
}

/** Starts a browser with a profile in this folder, with extensions and without playwright's fixed viewport. */
export function startProfile(folder: string, ...more: string[]): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: findChromium(),
    ignoreDefaultArgs: ["--disable-extensions"],
    viewport: null,
    args: [...FLAGS, without(), ...more],
  });
}

/**
 * A browser as people use it: tabs may be hidden, and pages are kept in the back/forward cache, which a debugger
 * prevents.
 */
export class BareChromium {
  private constructor(
    readonly process: ChildProcess,
    readonly folder: string,
  ) {}

  static async open(url: string, ...more: string[]): Promise<BareChromium> {
    const folder = await mkdtemp(join(tmpdir(), "eye-chromium-"));
    const flags = [...FLAGS, "--disable-popup-blocking", OWN_PAGES_OFF, `--user-data-dir=${folder}`, ...more];
    return new BareChromium(spawn(findChromium(), [...flags, url], { stdio: "ignore" }), folder);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    if (this.process.exitCode === null && this.process.kill()) await ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
