// The page's title, URL, visibility and loading state, with a notification whenever one of them changes.

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

/** Reports changes. The returned function sets what the hub knows already, after a `hello`. */
export function watchInfo(report: (changes: Partial<PageInfo>) => void): (info: PageInfo) => void {
  let reported = pageInfo();
  let isQueued = false;

  const look = (): void => {
    if (isQueued) return;
    isQueued = true;
    queueMicrotask(() => {
      isQueued = false;
      const before = reported;
      const now = (reported = pageInfo());
      const changes = KEYS.filter((key) => now[key] !== before[key]).map((key) => [key, now[key]]);
      if (changes.length > 0) report(Object.fromEntries(changes) as Partial<PageInfo>);
    });
  };

  const everything = { childList: true, characterData: true, subtree: true };
  const watching = new MutationObserver(() => {
    look();
    watch();
  });
  let root: Element | null | undefined;
  let head: Element | null | undefined;
  /** Watches the head for titles, and its parents for a replaced head. Before there is a head, the whole document. */
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
  return (info) => void (reported = info);
}
