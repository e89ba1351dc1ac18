// What the hub knows about this page: title, address, visibility and whether it is loading, and a note whenever one of them changes.

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

  // A title may be set before there is a head; the head is all that has to be watched.
  new MutationObserver(look).observe(document.head ?? document.documentElement, {
    childList: true,
    characterData: true,
    subtree: true,
  });
  document.addEventListener("visibilitychange", look);
  addEventListener("load", look);
  if ("navigation" in window) {
    window.navigation.addEventListener("currententrychange", look);
  } else {
    addEventListener("popstate", look);
    addEventListener("hashchange", look);
  }
  return (info) => void (told = info);
}
