// Finds Chromium and starts it: driven by playwright, or bare, with no debugger attached at all.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext } from "playwright-core";
import { findProgram } from "./program.js";

/** Two pages of the browser's own behind the address bar of each window: most of what a window costs. */
const OWN_PAGES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];
/** What playwright turns off, as far as tests could notice: the browser takes only the last list. */
const BY_PLAYWRIGHT = [
  ...["AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"],
  ...["DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"],
  ...["MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"],
  ...["ThirdPartyStoragePartitioning"],
];

const OWN_PAGES_OFF = `--disable-features=${OWN_PAGES.join(",")}`;

/** The flag that turns features of a browser off which playwright starts, these and the usual ones. */
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

/** Without some of playwright's own arguments. */
export function startChromiumWithout(left: readonly string[], ...more: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [...FLAGS, without(), ...more],
    ignoreDefaultArgs: [...left],
  });
}

/** A browser whose profile is in that folder, with extensions and without a viewport of playwright's. */
export function startProfile(folder: string, ...more: string[]): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: findChromium(),
    ignoreDefaultArgs: ["--disable-extensions"],
    viewport: null,
    args: [...FLAGS, without(), ...more],
  });
}

/** A browser as people have it: tabs may be hidden, and pages are kept for the way back, which a debugger prevents. */
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
