// The granted tabs, each with a session: forwards the hub's commands and the tab's events, both through the guard.
// Independent of how a tab is accessed.

import * as guard from "./guard.js";
import { forgetTabs, grants, how, originOf, setTab } from "./grants.js";
import { Sign } from "./sign.js";
import { CANCELED, type Listener, NO_ACCESS, type Debuggee, type Way } from "./way.js";

export interface Command {
  readonly id: number;
  readonly method: string;
  readonly params?: guard.Params;
  readonly sessionId?: string;
}

interface Attached extends guard.Granted {
  readonly tabId: number;
  readonly session: string;
  /** The target of the browser's calls. */
  readonly debuggee: Debuggee;
  /** Sessions of frames in the tab. */
  readonly frames: Set<Attached>;
  readonly by: "tab" | "site";
  readonly contexts: Map<number, guard.Context>;
  readonly requests: Set<string>;
  readonly sign: Sign;
  url: string;
}

export class Tabs {
  readonly #byTab = new Map<number, Attached>();
  readonly #bySession = new Map<string, Attached>();
  readonly #turns = new Map<number, Promise<void>>();
  #count = 0;
  /** Whether a hub is connected. */
  #wanted = false;

  readonly #way: Way;

  constructor(
    private readonly send: (message: object) => void,
    by: (listener: Listener) => Way,
  ) {
    this.#way = by({
      happened: (source, method, params) => this.#happened(source, method, params),
      detached: (tabId, why) => void this.#detached(tabId, why),
    });
    chrome.tabs.onUpdated.addListener((tabId, change) => {
      const attached = this.#byTab.get(tabId);
      if (attached !== undefined) {
        if (change.url !== undefined) attached.url = change.url;
        attached.sign.show();
      }
      if (change.url !== undefined || change.status !== undefined) void this.refresh(tabId);
    });
    chrome.tabs.onAttached.addListener((tabId, { newWindowId }) => this.#moved(tabId, newWindowId));
    chrome.tabs.onRemoved.addListener((tabId) => void setTab(tabId, undefined));
    chrome.tabs.onReplaced.addListener((_, removed) => void setTab(removed, undefined));
  }

  /** A hub has connected: detaches and attaches every tab, so that it gets clean sessions. */
  async begin(): Promise<void> {
    this.#wanted = true;
    await this.refreshAll(true);
  }

  /** The hub has disconnected. Tabs stay attached for a while, because it may reconnect at once. */
  leave(): void {
    this.#wanted = false;
  }

  /** No hub has reconnected: detaches the tabs. */
  async letGo(): Promise<void> {
    if (!this.#wanted) await this.refreshAll();
  }

  /** Grants a tab. Rejects if the browser gives no access to it. */
  async grant(tabId: number): Promise<void> {
    await setTab(tabId, "granted");
    await this.refresh(tabId);
    if (!this.#wanted || this.#byTab.has(tabId)) return;
    await setTab(tabId, undefined);
    throw new Error("The browser gives no access to this tab. Open this screen by the eye's button in the tab itself.");
  }

  async refreshAll(anew = false): Promise<void> {
    const tabs = await chrome.tabs.query({});
    await Promise.all(tabs.map(({ id }) => (id === undefined ? undefined : this.refresh(id, anew))));
  }

  /** Attaches or detaches a tab according to its grants. One change of a tab after the other. */
  refresh(tabId: number, anew = false): Promise<void> {
    const before = this.#turns.get(tabId) ?? Promise.resolve();
    const turn = before.then(() => this.#refresh(tabId, anew)).catch((error: unknown) => console.warn("eye:", error));
    this.#turns.set(tabId, turn);
    void turn.then(() => this.#turns.get(tabId) === turn && this.#turns.delete(tabId));
    return turn;
  }

  /** Executes a command of the hub and answers it. */
  async take({ id, method, params = {}, sessionId }: Command): Promise<void> {
    const answer = (more: object): void =>
      this.send({ id, ...(sessionId === undefined ? {} : { sessionId }), ...more });
    try {
      const attached = sessionId === undefined ? undefined : this.#bySession.get(sessionId);
      if (sessionId !== undefined && attached === undefined) throw new guard.Refusal("the session is gone");
      if (attached === undefined) return answer({ result: await this.#ofBrowser(method, params) });
      const passed = guard.command(method, params, attached);
      attached.sign.begins(method, params);
      try {
        const result = await this.#way.send(attached.debuggee, method, passed);
        if (attached.sites !== undefined && guard.isAboutTab(method)) await this.#isStillThere(attached);
        answer({ result: guard.answer(method, result as guard.Params, attached) });
      } finally {
        attached.sign.ends();
      }
    } catch (error) {
      answer({ error: reason(error) });
    }
  }

  /** The tab may have left the granted sites during the command. */
  async #isStillThere({ tabId, may }: Attached): Promise<void> {
    const { url } = await chrome.tabs.get(tabId);
    if (!may(originOf(url) ?? "")) throw new guard.Refusal(guard.ELSEWHERE);
  }

  async #ofBrowser(method: string, params: guard.Params): Promise<object> {
    switch (method) {
      case "Browser.getVersion":
        return { product: product() };
      case "Target.setAutoAttach":
        await this.begin();
        return {};
      case "Target.closeTarget": {
        const attached = [...this.#byTab.values()].find(({ target }) => target === params.targetId);
        if (attached === undefined) throw new guard.Refusal("this tab is not granted");
        await chrome.tabs.remove(attached.tabId);
        return {};
      }
      default:
        throw new guard.Refusal(`${method} is not allowed`);
    }
  }

  async #refresh(tabId: number, anew: boolean): Promise<void> {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    const known = this.#byTab.get(tabId);
    const all = await grants();
    const by = this.#wanted && tab?.discarded === false ? how(all, tabId, tab.url) : undefined;
    const sites = by === "site" ? all.sites : undefined;
    const same = known?.by === by && String(known?.sites) === String(sites);
    if (same && !(anew && known !== undefined)) return;
    if (known !== undefined) await this.#detach(known);
    if (by !== undefined && tab !== undefined) await this.#attach(tab, tabId, sites);
  }

  async #attach(tab: chrome.tabs.Tab, tabId: number, sites: readonly string[] | undefined): Promise<void> {
    const may = (origin: string): boolean => sites === undefined || sites.includes(origin);
    const target = await this.#way.attach(tabId, may);
    if (target === undefined) return;
    const attached: Attached = {
      tabId,
      session: `${String(tabId)}.${String(++this.#count)}`,
      debuggee: { tabId },
      frames: new Set(),
      by: sites === undefined ? "tab" : "site",
      target,
      url: tab.url ?? "",
      sites,
      may,
      contexts: new Map(),
      requests: new Set(),
      sign: new Sign(tabId, (marked) => this.#way.mark(tabId, marked)),
      scripted: this.#way.scripted,
    };
    this.#byTab.set(tabId, attached);
    this.#bySession.set(attached.session, attached);
    const page = { type: "page", title: tab.title ?? "", url: attached.url, windowId: tab.windowId };
    const info = { targetId: target, ...page, attached: true, scripted: this.#way.scripted };
    const params = { sessionId: attached.session, targetInfo: info, waitingForDebugger: false };
    this.send({ method: "Target.attachedToTarget", params });
  }

  /** The person moved a tab to another window. */
  #moved(tabId: number, windowId: number): void {
    const attached = this.#byTab.get(tabId);
    if (attached !== undefined)
      this.send({ method: "Browser.tabMoved", params: { targetId: attached.target, windowId } });
  }

  async #detach(attached: Attached): Promise<void> {
    this.#forget(attached);
    await this.#way.detach(attached.tabId);
  }

  #forget(attached: Attached): void {
    attached.sign.remove();
    this.#byTab.delete(attached.tabId);
    this.#drop(attached);
    const params = { sessionId: attached.session, targetId: attached.target };
    this.send({ method: "Target.detachedFromTarget", params });
  }

  async #detached(tabId: number | undefined, why: string): Promise<void> {
    if (tabId === undefined) return;
    const attached = this.#byTab.get(tabId);
    if (attached !== undefined) this.#forget(attached);
    // Access that the browser has revoked does not return when the tab does.
    if (why === NO_ACCESS && attached?.by === "tab") await setTab(tabId, undefined);
    // The browser's debugging bar is about all tabs.
    if (why === CANCELED) await this.stopAll();
  }

  /** Ends everything that agents do in this tab. */
  async stop(tabId: number): Promise<void> {
    const attached = this.#byTab.get(tabId);
    await setTab(tabId, attached?.by === "site" ? "stopped" : undefined);
    await this.refresh(tabId);
  }

  async stopAll(): Promise<void> {
    const bySite = [...this.#byTab.values()].filter(({ by }) => by === "site");
    await forgetTabs(bySite.map(({ tabId }) => tabId));
    await this.refreshAll();
  }

  /** Removes a session and those of the frames in it. */
  #drop(attached: Attached): void {
    this.#bySession.delete(attached.session);
    for (const frame of attached.frames) this.#drop(frame);
  }

  /** A frame of another site got a session, or lost it. */
  #framed(around: Attached, method: string, params: object): void {
    const { sessionId, targetInfo } = params as { sessionId: string; targetInfo: guard.Params };
    if (method === "Target.detachedFromTarget") {
      const frame = this.#bySession.get(sessionId);
      if (frame === undefined || !around.frames.delete(frame)) return;
      this.#drop(frame);
      this.send({ method, params: { sessionId, targetId: frame.target }, sessionId: around.session });
      return;
    }
    const info = guard.inner(targetInfo, around);
    const frame: Attached = {
      ...around,
      session: sessionId,
      debuggee: { tabId: around.tabId, sessionId },
      frames: new Set(),
      target: String(targetInfo.targetId),
      inner: true,
      url: String(info.url),
      contexts: new Map(),
      requests: new Set(),
    };
    around.frames.add(frame);
    this.#bySession.set(sessionId, frame);
    const details = { sessionId, targetInfo: info, waitingForDebugger: false };
    this.send({ method, params: details, sessionId: around.session });
  }

  #happened(source: { tabId?: number; sessionId?: string }, method: string, params: object): void {
    const tab = source.tabId === undefined ? undefined : this.#byTab.get(source.tabId);
    const attached = tab === undefined || source.sessionId === undefined ? tab : this.#bySession.get(source.sessionId);
    if (attached === undefined) return;
    if (method === "Target.attachedToTarget" || method === "Target.detachedFromTarget") {
      this.#framed(attached, method, params);
      return;
    }
    if (method === "Runtime.executionContextCreated" && !this.#created(attached, params)) return;
    if (method === "Page.frameNavigated") {
      const { frame } = params as { frame: { id: string; url: string } };
      if (frame.id === attached.target) attached.url = frame.url;
    }
    const passed = guard.event(method, params as guard.Params, attached);
    if (method === "Runtime.executionContextDestroyed") {
      attached.contexts.delete((params as { executionContextId: number }).executionContextId);
    } else if (method === "Runtime.executionContextsCleared") attached.contexts.clear();
    if (passed !== undefined) this.send({ method, params: passed, sessionId: attached.session });
  }

  /**
   * Records a context. `false`: the tab shows a site that is not granted, and is detached before any of its events are
   * forwarded.
   */
  #created(attached: Attached, params: object): boolean {
    const { context } = params as {
      context: { id: number; origin: string; name?: string; auxData?: { isDefault?: boolean; frameId?: string } };
    };
    const beside = context.name === guard.WORLD && !context.origin.startsWith("chrome-extension:");
    const own = context.auxData?.isDefault === true || beside;
    const frame = context.auxData?.frameId ?? "";
    attached.contexts.set(context.id, { origin: context.origin, own, frame });
    if (attached.inner === true || !own || context.auxData?.frameId !== attached.target || attached.may(context.origin))
      return true;
    // Attached again only when the browser reports another URL: the current one may still look granted, or be granted
    // and sandboxed.
    void this.#detach(attached);
    return false;
  }
}

function product(): string {
  return /Chrome\/[\d.]+/.exec(navigator.userAgent)?.[0] ?? "Chrome";
}

/** The browser reports its own errors as JSON in the message. */
function reason(error: unknown): object {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof guard.Refusal) return { code: -32_006, message: `refused by the extension: ${text}` };
  try {
    const { code, message } = JSON.parse(text) as { code: number; message: string };
    return { code, message };
  } catch {
    return { code: -32_000, message: text };
  }
}
