// Translates the browser's Navigation API for a page: who leaves, for where, and whether it comes to that.
// Without that API a call that navigates is simply answered.

import type { Page } from "./page.js";

const TRAVELS = /\b(?:history|navigation)\s*\.\s*(?:back|forward|go|traverseTo)\s*\(/;

export function watchNavigation(page: () => Page | undefined): void {
  if (!("navigation" in window)) return;
  const { navigation } = window;
  navigation.addEventListener("navigate", (event) => {
    const { destination } = event;
    if (event.downloadRequest !== null || (destination.sameDocument && event.navigationType !== "traverse")) return;
    page()?.navigates(destination.url, () => {
      return destination.sameDocument || event.defaultPrevented || navigation.transition !== null;
    });
  });
  addEventListener("submit", () => page()?.submits(), true);
}

export function travels(code: string): boolean {
  if (!TRAVELS.test(code) || !("navigation" in window)) return false;
  return window.navigation.canGoBack || window.navigation.canGoForward;
}
