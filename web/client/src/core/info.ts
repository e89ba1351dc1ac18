// What the hub knows about this page: title, address, visibility and whether it is loading, and a note whenever one of
// them changes.

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

  // The head is all that has to be watched; before there is one, a title may be set too.
  const watching = new MutationObserver(() => {
    look();
    if (document.head !== null && !headed) watchHead();
  });
  let headed = false;
  const watchHead = (): void => {
    watching.disconnect();
    headed = document.head !== null;
    watching.observe(document.head ?? document, { childList: true, characterData: true, subtree: true });
  };
  watchHead();
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
