// What the hub knows about this page: title, address, visibility and whether it is loading, and a note whenever one of
// them changes.

import { listen } from "./lasting.js";

export interface PageInfo {
  readonly title: string;
  readonly url: string;
  readonly visible: boolean;
  readonly loading: boolean;
}

export function pageInfo(): PageInfo {
  return {
    title: document.title,
    url: location.href,
    visible: !document.hidden,
    loading: document.readyState !== "complete",
  };
}

const KEYS = ["title", "url", "visible", "loading"] as const;

/** Tells what changed. The function it gives is for what was sent with `hello`, and needs no telling. */
export function watchInfo(tell: (changes: Partial<PageInfo>) => void): (info: PageInfo) => void {
  let told = pageInfo();
  let asked = false;

  const look = (): void => {
    if (asked) return;
    asked = true;
    queueMicrotask(() => {
      asked = false;
      const before = told;
      const now = (told = pageInfo());
      const changes = KEYS.filter((key) => now[key] !== before[key]).map((key) => [key, now[key]]);
      if (changes.length > 0) tell(Object.fromEntries(changes) as Partial<PageInfo>);
    });
  };

  const everything = { childList: true, characterData: true, subtree: true };
  const watching = new MutationObserver(() => {
    look();
    watch();
  });
  let root: Element | null | undefined;
  let head: Element | null | undefined;
  /** The head is all that has to be watched, and what it is replaced in; before there is one, a title may be set too. */
  const watch = (): void => {
    const { documentElement, head: there } = document;
    if (documentElement === root && there === head) return;
    [root, head] = [documentElement, there];
    watching.disconnect();
    watching.observe(document, there === null ? everything : { childList: true });
    if (there === null) return;
    watching.observe(documentElement, { childList: true });
    watching.observe(there, everything);
  };
  watch();
  listen(document, ["visibilitychange"], look);
  listen(window, ["load"], look);
  if ("navigation" in window) {
    window.navigation.addEventListener("currententrychange", look);
  } else {
    listen(window, ["popstate", "hashchange"], look);
  }
  return (info) => void (told = info);
}
