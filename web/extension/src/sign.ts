// Shows the person what agents do: a badge on granted tabs, another while a hub looks or acts, and a mark in the page's
// title after that. The mark is away whenever the hub's code runs, so that no agent reads it as the page's own title.

/** A word joiner makes it one that no page has by chance; eye-browser takes it out of what the page says of itself. */
export const MARK = "\u{1F441}\u2060 ";

const ACTIVE_MS = 2_000;
const MARK_AFTER_MS = 200;
const MARK_MS = 3_000;

const ON = { text: "on", color: "#1a7f37" };
const BUSY = { text: "●", color: "#c62828" };

/** What the hub tells the client in a page. */
const TOLD = /^eye_[a-z0-9]+\((".*")(?:,1)?\)$/s;
/** Longer than what the hub says of its own accord. */
const TOLD_LEN_MAX = 4_096;
/** What the hub does for every document, whether or not an agent asks. */
const PREPARING: ReadonlySet<string> = new Set([
  "Page.enable",
  "Runtime.enable",
  "Runtime.addBinding",
  "Runtime.runIfWaitingForDebugger",
  "Page.addScriptToEvaluateOnNewDocument",
  "Emulation.setFocusEmulationEnabled",
  "Target.setAutoAttach",
  "Eye.join",
  // A frame's number is told to the document around it.
  "DOM.getFrameOwner",
  "DOM.resolveNode",
  "Runtime.callFunctionOn",
  "Runtime.releaseObject",
]);

/**
 * Whether a command is done for an agent. The hub's own are its answers to the page's client, and its question whether
 * that is alive.
 */
export function isForAgent(method: string, params: Readonly<Record<string, unknown>>): boolean {
  if (PREPARING.has(method)) return false;
  try {
    const message = told(method, params);
    if (message === undefined) return true;
    // What the document was leaving for did not come; the frame that it is in.
    if (message === "=" || /^%f\d+$/.test(String(message))) return false;
    const frames: unknown = JSON.parse(String(message));
    if (!Array.isArray(frames)) return false;
    return frames.some((frame: unknown) => {
      const called = typeof frame === "string" ? frame : (frame as { method?: string }).method;
      return called !== undefined && called !== "ping";
    });
  } catch {
    return true;
  }
}

/** What a command tells the client in a page; `undefined` is nothing, or more than the hub says of its own accord. */
function told(method: string, params: Readonly<Record<string, unknown>>): unknown {
  if (method === "Eye.tell") return String(params.message).length > TOLD_LEN_MAX ? undefined : params.message;
  const expression = String(params.expression);
  if (method !== "Runtime.evaluate" || expression.length > TOLD_LEN_MAX) return undefined;
  const [, text] = TOLD.exec(expression) ?? [];
  return text === undefined ? undefined : JSON.parse(text);
}

export class Sign {
  #active = false;
  #marked = false;
  #pending = 0;
  #calm: ReturnType<typeof setTimeout> | undefined;
  #marking: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly tabId: number,
    private readonly mark: (marked: boolean) => void,
  ) {
    this.show();
  }

  /** The badge belongs to the document, and has to be set again for each. */
  show(): void {
    const { tabId } = this;
    const { text, color } = this.#active ? BUSY : ON;
    const title = this.#active
      ? "An agent uses this tab. Click to stop it."
      : "Agents may use this tab. Click to stop them.";
    void settled([
      chrome.action.setBadgeText({ tabId, text }),
      chrome.action.setBadgeBackgroundColor({ tabId, color }),
      chrome.action.setTitle({ tabId, title }),
      // Without a popup a click is told to the worker, which stops.
      chrome.action.setPopup({ tabId, popup: "" }),
    ]);
  }

  /** A command of the hub is about to be done. */
  begins(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#pending += 1;
    if (!isForAgent(method, params)) return;
    clearTimeout(this.#marking);
    if (this.#marked) {
      this.#marked = false;
      this.mark(false);
    }
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => {
      this.#active = false;
      this.show();
    }, ACTIVE_MS);
    if (this.#active) return;
    this.#active = true;
    this.show();
  }

  /** It is done. */
  ends(): void {
    this.#pending -= 1;
    if (!this.#active || this.#pending > 0) return;
    clearTimeout(this.#marking);
    this.#marking = setTimeout(() => {
      if (this.#pending > 0) return;
      this.#marked = true;
      this.mark(true);
      this.#marking = setTimeout(() => this.#unmark(), MARK_MS);
    }, MARK_AFTER_MS);
  }

  /** The tab is no longer granted. */
  remove(): void {
    clearTimeout(this.#calm);
    clearTimeout(this.#marking);
    this.#unmark();
    const { tabId } = this;
    void settled([
      chrome.action.setBadgeText({ tabId, text: "" }),
      chrome.action.setTitle({ tabId, title: "eye" }),
      chrome.action.setPopup({ tabId, popup: "popup.html" }),
    ]);
  }

  #unmark(): void {
    if (!this.#marked) return;
    this.#marked = false;
    this.mark(false);
  }
}

/** The tab may be gone by now. */
async function settled(all: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(all);
}
