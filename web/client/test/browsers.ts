// The browsers that the tests use.

import type { Browser } from "playwright-core";
import { startChromiumWithout } from "../../harness/chromium.js";

/** Popups are blocked as in a person's browser. */
export function startChromium(...flags: string[]): Promise<Browser> {
  return startChromiumWithout(["--disable-popup-blocking"], ...flags);
}

/** WebMCP is off by default. */
export function startWebMcpChromium(): Promise<Browser> {
  return startChromium("--enable-features=WebMCP");
}

/** Playwright turns the back/forward cache off; this browser has it on. */
export function startCachingChromium(): Promise<Browser> {
  return startChromiumWithout(["--disable-back-forward-cache"]);
}
