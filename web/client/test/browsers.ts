// The browsers in which the client is tried.

import type { Browser } from "playwright-core";
import { startChromiumWithout } from "../../harness/chromium.js";

/** Popups are blocked as in a person's browser. */
export function startChromium(...flags: string[]): Promise<Browser> {
  return startChromiumWithout(["--disable-popup-blocking"], ...flags);
}

/** With WebMCP, which it has off unless asked. */
export function startWebMcpChromium(): Promise<Browser> {
  return startChromium("--enable-features=WebMCP");
}

/** Playwright turns the back/forward cache off; this browser has it on. */
export function startCachingChromium(): Promise<Browser> {
  return startChromiumWithout(["--disable-back-forward-cache"]);
}
