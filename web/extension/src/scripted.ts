// Accesses tabs without the debugger, by scripts of the extension that the person allows: the page client in the page's
// world, a relay in the isolated world, and pictures of the window. Reports documents in the debugger's terms. Frames
// of other origins cannot be accessed.

import { type Params, Refusal } from "./guard.js";
import { capture, type Wanted } from "./picture.js";
import type { Events, Metrics, Relay, ToPage } from "./relay.js";
import { CLOSED, type Listener, NO_ACCESS, type Debuggee, type Way } from "./way.js";

/** Defined by `relay.js` in the extension's world of a document. */
declare const eyeRelay: Relay;

/** The names of the client in a tab, and of the functions by which the hub and the client communicate. */
interface Names {
  readonly session: string;
  readonly binding: string;
  readonly receive: string;
}

/** A document with a client. */
interface Joined {
  readonly id: string;
  readonly context: number;
  readonly port: chrome.runtime.Port;
}

interface Tab {
  readonly target: string;
  /** Whether documents of an origin are granted. The browser may give access to more origins. */
  readonly may: (origin: string) => boolean;
  /** The site of the URL to which the browser gave access. */
  site: string;
  names?: Names;
  /** The document into which the scripts were injected, and the name of its port. */
  put?: { readonly document: string; readonly port: string };
  joined?: Joined;
}

/** Where the page's world finds the client's names; `page.js` removes it. */
const NAMES = "eye.names";
/**
 * Key of a random value that distinguishes tab names of this browser from those of others; kept as long as the browser
 * runs.
 */
const RUN = "run";
const LETTERS = 36;
/** Together these form a target's name for the hub. */
const TAB_DIGITS = 6;
const RUN_DIGITS = 6;

export class Scripted implements Way {
  readonly scripted = true;
  readonly #tabs = new Map<number, Tab>();
  readonly #turns = new Map<number, Promise<void>>();
  #contexts = 0;
  #run: Promise<string> | undefined;

  constructor(private readonly listener: Listener) {
    chrome.runtime.onConnect.addListener((port) => this.#connected(port));
    chrome.tabs.onUpdated.addListener((tabId) => void this.#put(tabId));
    chrome.tabs.onRemoved.addListener((tabId) => this.#gone(tabId, CLOSED));
    // Scripts that were injected before would keep running.
    chrome.permissions.onRemoved.addListener(() => {
      for (const tabId of this.#tabs.keys()) void inPage(tabId, () => 0).catch(() => this.#gone(tabId, NO_ACCESS));
    });
  }

  async attach(tabId: number, may: Tab["may"]): Promise<string | undefined> {
    const [found] = await inPage(tabId, () => location.origin);
    const number = tabId.toString(LETTERS).padStart(TAB_DIGITS, "0");
    this.#run ??= run();
    const target = `${number}${await this.#run}`;
    this.#tabs.set(tabId, { target, may, site: String(found?.result) });
    return target;
  }

  async detach(tabId: number): Promise<void> {
    this.#tabs.get(tabId)?.joined?.port.disconnect();
    this.#tabs.delete(tabId);
  }

  async send({ tabId = -1 }: Debuggee, method: string, params: Params): Promise<object> {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined) throw new Refusal("the tab is not granted");
    switch (method) {
      case "Eye.join":
        tab.names = params as unknown as Names;
        await this.#put(tabId);
        return {};
      case "Eye.tell":
        if (tab.joined === undefined || tab.joined.context !== params.contextId)
          throw new Refusal("the document is gone");
        tell(tab.joined.port, String(params.message));
        return {};
      case "Eye.hidden":
        return { places: await beside(place(tab, tabId), (bare) => eyeRelay.hidden(bare), params.unmasked === true) };
      case "Page.getLayoutMetrics":
        return layout(await beside(place(tab, tabId), () => eyeRelay.metrics()));
      case "Page.captureScreenshot": {
        const at = place(tab, tabId);
        return capture(tabId, params as unknown as Wanted, () => beside(at, () => eyeRelay.shown()));
      }
      case "Page.navigate":
        await chrome.tabs.update(tabId, { url: String(params.url) });
        return {};
      case "Page.reload":
        await chrome.tabs.reload(tabId);
        return {};
      default:
        throw new Error(`${method} is not done without the debugger`);
    }
  }

  mark(tabId: number, marked: boolean): void {
    const port = this.#tabs.get(tabId)?.joined?.port;
    if (port !== undefined) tell(port, marked);
  }

  /** Injects the client into the tab's document unless it is there already. One injection after the other per tab. */
  #put(tabId: number): Promise<void> {
    const before = this.#turns.get(tabId) ?? Promise.resolve();
    const turn = before.then(() => this.#putNow(tabId)).catch(() => this.#refused(tabId));
    this.#turns.set(tabId, turn);
    void turn.then(() => this.#turns.get(tabId) === turn && this.#turns.delete(tabId));
    return turn;
  }

  async #putNow(tabId: number): Promise<void> {
    const tab = this.#tabs.get(tabId);
    if (tab?.names === undefined) return;
    const [found] = await inPage(tabId, () => [location.origin, origin]);
    if (found === undefined || tab.put?.document === found.documentId) return;
    const [site = "", own = ""] = found.result as readonly string[];
    if (!tab.may(own)) return;
    tab.site = site;
    const document = found.documentId;
    const [port, toPage, fromPage] = [word(), word(), word()] as const;
    tab.put = { document, port };
    const target = { tabId, documentIds: [document] };
    const at = { target, injectImmediately: true };
    const events: Events = { toPage, fromPage };
    await chrome.scripting.executeScript({ ...at, files: ["relay.js"] });
    const join = (name: string, both: Events): void => eyeRelay.join(name, both);
    await chrome.scripting.executeScript({ ...at, func: join, args: [port, events] });
    const names = { ...tab.names, files: false, hands: false };
    await chrome.scripting.executeScript({ ...at, world: "MAIN", func: lend, args: [NAMES, names, events] });
    await chrome.scripting.executeScript({ ...at, world: "MAIN", files: ["page.js"] });
  }

  /** The browser refused to run a script: the tab shows another site, or an error page. */
  async #refused(tabId: number): Promise<void> {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined) return;
    delete tab.put;
    const url = (await chrome.tabs.get(tabId).catch(() => undefined))?.url;
    if (url === undefined || !URL.canParse(url) || new URL(url).origin === tab.site) return;
    this.#gone(tabId, NO_ACCESS);
  }

  #gone(tabId: number, why: string): void {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined) return;
    tab.joined?.port.disconnect();
    this.#tabs.delete(tabId);
    this.listener.detached(tabId, why);
  }

  /** A relay connected. The document's origin and URL come from the browser. */
  #connected(port: chrome.runtime.Port): void {
    const { tab: at, documentId: id = "", origin = "", url = "" } = port.sender ?? {};
    const tabId = at?.id ?? -1;
    const tab = this.#tabs.get(tabId);
    if (tab?.put?.port !== port.name || tab.put.document !== id) {
      port.disconnect();
      return;
    }
    const context = ++this.#contexts;
    const joined: Joined = { id, context, port };
    tab.joined = joined;
    const happened = (method: string, params: object): void => this.listener.happened({ tabId }, method, params);
    happened("Page.frameNavigated", { frame: { id: tab.target, url } });
    const auxData = { isDefault: true, frameId: tab.target };
    // The debugger reports the empty string for a document with an opaque origin.
    const known = { id: context, origin: origin === "null" ? "" : origin, uniqueId: id, auxData };
    happened("Runtime.executionContextCreated", { context: known });
    const { binding: name = "" } = tab.names ?? {};
    port.onMessage.addListener((payload) => {
      // The page may have sent it.
      if (typeof payload === "string")
        happened("Runtime.bindingCalled", { name, payload, executionContextId: context });
    });
    port.onDisconnect.addListener(() => {
      happened("Runtime.executionContextDestroyed", { executionContextId: context });
      if (tab.joined !== joined) return;
      delete tab.joined;
      delete tab.put;
      void this.#put(tabId);
    });
  }
}

/**
 * Runs in the page's world: provides the client with a replacement for the debugger's binding. Only the function's
 * source text is injected, so it must not use anything else of this file.
 */
function lend(key: string, names: Names, { toPage, fromPage }: Events): void {
  const global = globalThis as unknown as Record<string | symbol, unknown>;
  const send = (detail: string): boolean => document.dispatchEvent(new CustomEvent(fromPage, { detail }));
  document.addEventListener(toPage, (event) => {
    const receive = global[names.receive] as ((message: string) => void) | undefined;
    receive?.((event as CustomEvent<string>).detail);
  });
  global[names.binding] = send;
  global[Symbol.for(key)] = names;
}

/** The document with the client. */
function place({ joined }: Tab, tabId: number): chrome.scripting.Target {
  if (joined === undefined) throw new Refusal("the document is gone");
  return { tabId, documentIds: [joined.id] };
}

/** Runs in the extension's world of exactly this document, never in one that replaced it. */
async function beside<T extends object, A extends readonly unknown[]>(
  target: chrome.scripting.Target,
  func: (...args: A) => T | Promise<T>,
  ...args: A
): Promise<T> {
  const [found] = await chrome.scripting.executeScript({ target, func, args, injectImmediately: true });
  // A failed script has no result, so it is unknown what must be hidden.
  if (typeof found?.result !== "object" || found.result === null) throw new Refusal("the page cannot be measured");
  return found.result as T;
}

function inPage(tabId: number, func: () => unknown): Promise<chrome.scripting.Result[]> {
  return chrome.scripting.executeScript({ target: { tabId }, func, injectImmediately: true });
}

/** Ignores an error, because the document may be unloading. */
function tell(port: chrome.runtime.Port, message: ToPage): void {
  try {
    port.postMessage(message);
  } catch {
    // Its disconnect event follows.
  }
}

/** The document's geometry in the debugger's terms. */
function layout({ pageX, pageY, clientWidth, clientHeight, contentWidth, contentHeight, density }: Metrics): object {
  return {
    cssVisualViewport: { pageX, pageY, clientWidth, clientHeight },
    cssLayoutViewport: { pageX, pageY, clientWidth },
    layoutViewport: { clientWidth: clientWidth * density },
    cssContentSize: { x: 0, y: 0, width: contentWidth, height: contentHeight },
  };
}

function word(): string {
  return crypto.randomUUID();
}

async function run(): Promise<string> {
  const { [RUN]: kept } = await chrome.storage.session.get(RUN);
  if (typeof kept === "string") return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(RUN_DIGITS));
  const made = Array.from(bytes, (byte) => (byte % LETTERS).toString(LETTERS)).join("");
  await chrome.storage.session.set({ [RUN]: made });
  return made;
}
