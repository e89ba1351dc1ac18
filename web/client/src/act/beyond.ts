// Notices, while an agent acts, what the page tries that browsers allow only to people: popups, file pickers, full
// screen, the clipboard.

export interface Beyond {
  /** What was blocked, each with the reason and the next step. */
  lines(): string[];
  end(): void;
}

interface Watched {
  readonly owner: object;
  readonly name: string;
  /** The line to report; `undefined` if the call worked. */
  readonly describe: (result: unknown, self: unknown, args: readonly unknown[]) => string | undefined;
  /** The line to report if the promise that the call returns is rejected. */
  readonly later?: string;
}

const POPUP = "the browser blocked a popup: only a person's click may open one; open its address with eye open";
const PICKER = "needs a person: a file chooser; use upload";
const FULL = "needs a person: full screen";
const CLIP = "needs a person: the clipboard";

const WATCHED: readonly Watched[] = [
  { owner: window, name: "open", describe: (result, _, args) => popup(result, args.map(String)) },
  { owner: window, name: "showOpenFilePicker", describe: () => PICKER },
  { owner: window, name: "showSaveFilePicker", describe: () => PICKER },
  { owner: Element.prototype, name: "requestFullscreen", describe: () => FULL },
  {
    owner: HTMLInputElement.prototype,
    name: "showPicker",
    describe: () => "needs a person: the browser's own picker; use fill",
  },
  {
    owner: HTMLElement.prototype,
    name: "click",
    describe: (_, self) => (self instanceof HTMLInputElement && self.type === "file" ? PICKER : undefined),
  },
  {
    owner: Document.prototype,
    name: "execCommand",
    describe: (worked, _, [command]) =>
      worked === false && /^(?:copy|cut|paste)$/i.test(String(command)) ? CLIP : undefined,
  },
  // Pages catch rejections of the clipboard, so the unhandled-rejection listener would not see them.
  ...["writeText", "write", "readText", "read"].map((name) => ({
    owner: (globalThis as { Clipboard?: { prototype: object } }).Clipboard?.prototype ?? {},
    name,
    describe: () => undefined,
    later: CLIP,
  })),
];

/** The line about a popup. With `noopener`, `open` always returns null, so it cannot tell whether the popup opened. */
function popup(opened: unknown, [url = "", target = "_blank", features = ""]: readonly string[]): string | undefined {
  const hasOpener = !/\bno(?:opener|referrer)\b/.test(features);
  if (opened === null && hasOpener) return POPUP;
  if (/^_(?:self|top|parent)$/i.test(target)) return undefined;
  const shown =
    url === "" ? "an empty page" : URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI).href : url;
  return `opens ${shown} in a new tab${hasOpener ? "" : ", if the browser allows it"} (eye pages)`;
}

/** The line about a `target=_blank` link: for a synthetic click, it opens a tab only where popups are allowed. */
function blankLink(event: Event, isReal: boolean): string | undefined {
  const link = event
    .composedPath()
    .find((one) => one instanceof HTMLAnchorElement && one.href !== "") as HTMLAnchorElement;
  if (link === undefined || event.defaultPrevented || !/^_blank$/i.test(link.target)) return undefined;
  if (isReal) return `opens ${link.href} in a new tab, which joins as a page of its own (eye pages)`;
  return `opens ${link.href} in a new tab, which the browser may block for an agent; open it with eye open`;
}

/** Watches until `end`. `isReal`: the action counts as a person's. */
export function blockedBy(isReal = false): Beyond {
  const lines = new Set<string>();
  const undo: (() => void)[] = [];
  for (const { owner, name, describe, later } of WATCHED) {
    const own = Object.getOwnPropertyDescriptor(owner, name);
    const original = (owner as Record<string, unknown>)[name];
    if (typeof original !== "function" || own?.configurable !== true) continue;
    const watched = new Proxy(original, {
      apply(target, self, args) {
        const result: unknown = Reflect.apply(target as (...args: unknown[]) => unknown, self, args);
        const text = describe(result, self, args);
        if (text !== undefined) lines.add(text);
        if (later !== undefined) (result as Promise<unknown>).catch(() => lines.add(later));
        return result;
      },
    });
    Object.defineProperty(owner, name, { ...own, value: watched });
    undo.push(() => {
      // The page may have replaced the function meanwhile.
      if ((owner as Record<string, unknown>)[name] === watched) Object.defineProperty(owner, name, own);
    });
  }
  const clicked = (event: Event): void => {
    const text = blankLink(event, isReal);
    if (text !== undefined) lines.add(text);
  };
  const rejected = ({ reason }: PromiseRejectionEvent): void => {
    if (reason instanceof DOMException && reason.name === "NotAllowedError")
      lines.add(/clipboard/i.test(reason.message) ? CLIP : `needs a person: ${reason.message}`);
  };
  addEventListener("click", clicked);
  addEventListener("unhandledrejection", rejected);
  return {
    lines: () => [...lines],
    end() {
      removeEventListener("click", clicked);
      removeEventListener("unhandledrejection", rejected);
      for (const one of undo) one();
    },
  };
}
