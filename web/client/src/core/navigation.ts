// Watches the browser's Navigation API for a page: navigations, their targets, and whether they happen. Without that
// API, a call that navigates is simply answered.

import { listen } from "./lasting.js";
import type { Page } from "./page.js";

const TRAVELS = /\b(?:history|navigation)\s*\.\s*(back|forward|go|traverseTo)\s*\(/;
/** Schemes that a browser loads into the page. */
const LOADED = /^(?:https?|file|about|blob|data|filesystem|[a-z]+-extension):/;

/**
 * `leaving` gets the target of a navigation, and an empty text if the page stays after all. For downloads and empty
 * responses there is no such event.
 */
export function watchNavigation(page: () => Page | undefined, leaving: (url: string) => void): void {
  if (!("navigation" in window)) return;
  const { navigation } = window;
  navigation.addEventListener("navigate", (event) => {
    const { destination } = event;
    if (event.downloadRequest !== null || (destination.sameDocument && event.navigationType !== "traverse")) return;
    // Other schemes, such as mailto:, open another program.
    if (!LOADED.test(destination.url)) return;
    const stays = (): boolean => destination.sameDocument || event.defaultPrevented || navigation.transition !== null;
    page()?.navigates(destination.url, stays);
    queueMicrotask(() => {
      if (stays()) return;
      leaving(destination.url);
      event.signal.addEventListener("abort", () => leaving(""));
    });
  });
  listen(window, ["submit"], () => page()?.submits(), { capture: true });
}

/**
 * Whether the browser reports navigations: it does not in documents without an origin, nor in a window's first
 * document.
 */
export function tellsNavigations(): boolean {
  return "navigation" in window && window.navigation.currentEntry !== null;
}

export function travels(code: string): boolean {
  const way = TRAVELS.exec(code)?.[1];
  if (way === undefined || !("navigation" in window)) return false;
  const { canGoBack, canGoForward } = window.navigation;
  return (canGoBack && way !== "forward") || (canGoForward && way !== "back");
}
