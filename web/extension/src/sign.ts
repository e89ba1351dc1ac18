// Shows the person what agents do: a badge on granted tabs, another one while a hub looks or acts, and afterwards a
// mark in the page's title. The mark is removed while the hub's code runs, so that no agent reads it as part of the
// title.

/** The word joiner makes it unlikely in other titles; eye-browser removes it from the titles that the page reports. */
export const MARK = "\u{1F441}\u2060 ";

const ACTIVE_MS = 2_000;
const MARK_AFTER_MS = 200;
const MARK_MS = 3_000;

const ON = { text: "on", color: "#1a7f37" };
const BUSY = { text: "●", color: "#c62828" };

/** A message of the hub to the client in a page. */
const TOLD = /^eye_[a-z0-9]+\((".*")(?:,1)?\)$/s;
/** More than the longest message that the hub sends by itself. */
const TOLD_LEN_MAX = 4_096;
/** Commands that the hub sends for every document, even without an agent's request. */
const PREPARING: ReadonlySet<string> = new Set([
  "Page.enable",
  "Runtime.enable",
  "Runtime.addBinding",
  "Runtime.runIfWaitingForDebugger",
  "Page.addScriptToEvaluateOnNewDocument",
  "Emulation.setFocusEmulationEnabled",
  "Target.setAutoAttach",
  "Eye.join",
  // A frame's number is sent to its parent document.
  "DOM.getFrameOwner",
  "DOM.resolveNode",
  "Runtime.callFunctionOn",
  "Runtime.releaseObject",
]);

/** Whether a command serves an agent. The hub itself sends answers to the page's client, and pings. */
export function isForAgent(method: string, params: Readonly<Record<string, unknown>>): boolean {
  if (PREPARING.has(method)) return false;
  try {
    const message = messageIn(method, params);
    if (message === undefined) return true;
    // The navigation that the document was leaving for did not happen; or the number of its frame.
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

/** The message in a command to the client in a page; `undefined`: none, or longer than the hub's own messages. */
function messageIn(method: string, params: Readonly<Record<string, unknown>>): unknown {
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

  /** The badge belongs to the document and must be set again for each one. */
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
      // Without a popup, a click is reported to the worker, which stops.
      chrome.action.setPopup({ tabId, popup: "" }),
    ]);
  }

  /** Called before a command of the hub is executed. */
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

  /** Called when it is done. */
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

  /** Called when the tab is no longer granted. */
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
