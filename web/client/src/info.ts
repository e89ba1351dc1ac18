// What the hub knows about this page: title, address and visibility, and a note whenever one of them changes.

export interface PageInfo {
  readonly title: string;
  readonly url: string;
  readonly visible: boolean;
}

export function pageInfo(): PageInfo {
  return { title: document.title, url: location.href, visible: !document.hidden };
}

const KEYS = ["title", "url", "visible"] as const;

export class InfoWatch {
  readonly #tell: (changes: Partial<PageInfo>) => void;
  #told = pageInfo();
  #asked = false;

  constructor(tell: (changes: Partial<PageInfo>) => void) {
    this.#tell = tell;
    // A title may be set before there is a head; the head is all that has to be watched.
    new MutationObserver(this.look).observe(document.head ?? document.documentElement, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    document.addEventListener("visibilitychange", this.look);
    if ("navigation" in window) {
      window.navigation.addEventListener("currententrychange", this.look);
    } else {
      addEventListener("popstate", this.look);
      addEventListener("hashchange", this.look);
    }
  }

  /** What was sent with `hello` needs no telling. */
  told(info: PageInfo): void {
    this.#told = info;
  }

  readonly look = (): void => {
    if (this.#asked) return;
    this.#asked = true;
    queueMicrotask(() => {
      this.#asked = false;
      const now = pageInfo();
      const told = this.#told;
      this.#told = now;
      const changes = KEYS.filter((key) => now[key] !== told[key]).map((key) => [key, now[key]]);
      if (changes.length > 0) this.#tell(Object.fromEntries(changes) as Partial<PageInfo>);
    });
  };
}
