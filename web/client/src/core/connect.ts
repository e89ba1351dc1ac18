// Assembles the client: one per document, joined to its hub from `connect` until `close`.

import { ability } from "./ability.js";
import { PAGE_VERBS } from "../generated/operations.js";
import { failure } from "./answer.js";
import { watchDialogs } from "./dialogs.js";
import { pageInfo, watchInfo } from "./info.js";
import { journal } from "./journal.js";
import { listen } from "./lasting.js";
import { CLOSED_BAD_QUERY, CLOSED_FOREIGN, CLOSED_TAKEN, linkTo, type Socket } from "./link.js";
import { FORM_LOOK_MS, LEAVING_MS } from "./limits.js";
import { travels, watchNavigation } from "./navigation.js";
import { diagnose, warn, watchPolicy } from "./obstacle.js";
import { overhear } from "../webmcp/overhear.js";
import type { Surroundings } from "./page.js";
import type { PageVerbs } from "../page/page-verbs.js";
import type { Core, Input, LoadPart, Part, Parts } from "./part.js";
import { run } from "./program.js";
import { realmOf, type Realm } from "./realm.js";
import { render } from "./render.js";
import { claimSession, isSessionId, loseSession, rememberSession, type Claim } from "./session.js";
import { side, soon, timers } from "./side.js";
import type { StateOptions, StateSource } from "../state/source.js";
import type { Tool, ToolOptions } from "../tools/tool.js";
import { PROTOCOL_VERSION, VERSION } from "./version.js";

export interface ConnectOptions {
  /** The hub's URL; default `http://localhost:8765`. */
  readonly hub?: string | undefined;
  /** A name for this page, for people and agents. */
  readonly alias?: string | undefined;
  /** The session id to claim; `"url"` reads it from the address, `?sessionId=`. */
  readonly session?: string | undefined;
  /** A token that lets this page join as its origin (`eye token new NAME --may join`), if the hub requires one. */
  readonly token?: string | undefined;
  /** Provides `document.modelContext` if the browser does not. */
  readonly webmcp?: boolean | undefined;
  /** `false` forbids agents to run code. */
  readonly eval?: boolean | undefined;
}

/** What a browser that eye drives provides to the client. */
export interface Driven {
  readonly session: string;
  /** Used instead of a WebSocket, which a page's policy may forbid. */
  open(): Socket;
  /**
   * `undefined` if the driver only carries messages: the page then makes synthetic events, like one with a script tag.
   */
  readonly input: Input | undefined;
  /** Set by the client. The driver calls it when a navigation that had begun does not happen. */
  stays?: () => void;
  /** Set by the client: the loaded parts. */
  parts?: Surroundings["parts"];
}

export interface Eye extends PageVerbs {
  readonly version: string;
  /** The session id under which agents reach this page; empty until it is claimed. */
  readonly session: string;
  readonly connected: boolean;
  /** The signal of the call whose code runs at this moment; aborts when the call is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** Offers a function to agents. Replaces a tool of the same name. Rejects an invalid tool. */
  tool(tool: Tool, options?: ToolOptions): Promise<void>;
  untool(name: string): Promise<void>;
  /**
   * Publishes the value of `source`, or what it returns, as JSON: now, and whenever a call or the person has changed
   * it. Replaces an earlier source.
   */
  state(source: StateSource, options?: StateOptions): Promise<void>;
  /** Reports that the state has changed by itself: an idle page is not checked. */
  changed(): void;
  /** Until `resume`, agents get this message as an error. They can still read what the page publishes. */
  pause(message: string, hint?: string): void;
  resume(): void;
  close(): void;
}

/** The names that the part `verbs` implements. */
const VERBS = `${PAGE_VERBS} publish subscribe request respond tell onMessage app`;

const HUB_DEFAULT = "http://localhost:8765";

/** As the `session` option: take the id from the address, `?sessionId=`. */
const FROM_URL = "url";

type Own = Omit<Eye, keyof PageVerbs>;

/** The key of the client, shared by every copy of this library in a document. */
const MARK = Symbol.for("eye.client");
type Marked = typeof globalThis & { [MARK]?: Eye | undefined; eye?: unknown; eyeClient?: unknown };

export function connectWith(loadPart: LoadPart, options: ConnectOptions, driven?: Driven): Eye {
  const marked = globalThis as Marked;
  const there = marked[MARK];
  if (there !== undefined) return there;
  const eye = join(
    loadPart,
    options,
    () => {
      marked[MARK] = undefined;
      if (marked.eye === eye) delete marked.eye;
    },
    driven,
  );
  define(MARK, eye);
  publish(eye);
  return eye;
}

function publish(eye: Eye): void {
  // An element with the id "eye" is not an own property of the window, so it may be shadowed.
  const name = Object.hasOwn(globalThis, "eye") ? "eyeClient" : "eye";
  if (name !== "eye") warn("this page has its own `eye`; use `eyeClient`");
  define(name, eye);
  // Components that loaded before the client can offer their tools now.
  dispatchEvent(new Event("eye:client"));
}

function define(name: string | symbol, value: Eye): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

function join(loadPart: LoadPart, options: ConnectOptions, left: () => void, driven: Driven | undefined): Eye {
  const hub = hubUrl(options.hub ?? HUB_DEFAULT);
  const { realm, trust, trustUrl, blocked } = ability(options.eval !== false);
  const input = driven?.input;
  // A page with real input has no slowed timers, and its policy may forbid a worker.
  const { after, close } = input === undefined ? side(trustUrl) : timers;

  const around: Surroundings = {
    realm,
    frame: async (name) => {
      const frame = (await load("verbs")).frame(name);
      if (typeof frame === "string") return frame;
      // Keyed by document: a frame keeps its window when it navigates.
      const there = realms.get(frame.document) ?? realmOf(frame, trust);
      realms.set(frame.document, there);
      return there;
    },
    answer: async (...what) => (await load("verbs")).reply(...what),
    thrown: async (...what) => (await load("verbs")).thrown(...what, trustUrl),
    travels,
    after,
    soon,
    onTaken: (message) => warn(message),
    onWelcome: (welcome) => {
      const { lastRef = 0, sessionId } = (welcome ?? {}) as { lastRef?: number; sessionId?: string };
      core.lastRef = Math.max(core.lastRef, lastRef);
      // The requested id belongs to a page of another origin, so the hub has assigned a different one.
      if (claim !== undefined && sessionId !== undefined && sessionId !== claim.id) {
        claim = { ...claim, id: sessionId };
        // A driver identifies its documents by their frames, so nothing needs to be remembered.
        link.session = driven === undefined ? rememberSession(sessionId, wish) : sessionId;
      }
      for (const part of around.parts()) part.welcomed?.();
    },
    parts: () => loaded,
    called: (delta) => {
      for (const part of loaded) part.called?.(delta);
    },
  };

  const loaded: Part[] = [];
  const parts: { -readonly [Name in keyof Parts]?: Parts[Name] } = {};
  /**
   * One promise per part for all callers, so that they continue in the order of their calls. Separate imports of a
   * module do not guarantee that.
   */
  const loading: Record<string, Promise<Part> | undefined> = {};
  const load = <Name extends keyof Parts>(name: Name): Promise<Parts[Name]> =>
    (loading[name] ??= loadPart(name, hub).then(
      (offer) => {
        const part = offer(core);
        parts[name] = part;
        loaded.push(part);
        if (link.page !== undefined) part.joined?.();
        return part;
      },
      (error: unknown) => {
        // Allows another try: browsers load a failed module again.
        delete loading[name];
        throw error;
      },
    )) as Promise<Parts[Name]>;
  const realms = new WeakMap<Document, Realm>();
  const core: Core = {
    send: (frame) => link.page?.send(frame),
    render,
    failure,
    after,
    called: (delta = false) => around.called(delta),
    load,
    blocked,
    run: realm && ((code) => run(realm, code)),
    journal: journal(),
    overheard: overhear(options.webmcp),
    lastRef: 0,
    leaving: "",
    departs: (url) => {
      link.page?.navigates(url, () => false);
      leaves(url);
    },
    input,
  };

  /** Loads the WebMCP part once it is needed: for the browser's own API, or for a form that declares a tool. */
  const seek = (): void => {
    if ("modelContext" in document || document.querySelector("form[toolname]") !== null)
      load("webmcp").catch(() => undefined);
    else observer.observe(document, { childList: true, subtree: true, attributeFilter: ["toolname"] });
  };
  const observer = new MutationObserver(() => {
    observer.disconnect();
    after(FORM_LOOK_MS, seek);
  });

  let wish = wishedSession(options.session);
  let paused: string | undefined;
  let claim: Claim | undefined;
  const leaving = new AbortController();
  let explained = false;
  /** Incremented with every claim and release, so that a late claim can be released at once. */
  let turn = 0;

  const noteInfo = watchInfo((changes) => link.page?.notify("page/info", changes));

  const link = linkTo(hub, around, {
    open: driven?.open,
    token: options.token,
    hello: () => {
      const page = pageInfo();
      noteInfo(page);
      return {
        clientType: "browser",
        version: PROTOCOL_VERSION,
        typed: true,
        batch: true,
        page: {
          ...page,
          loading: page.loading || undefined,
          // JSON.stringify leaves out undefined members.
          alias: options.alias,
          frame: window !== top || undefined,
          parent: above(),
          eval: realm !== undefined,
          evalBlocked: blocked || undefined,
          paused,
          lastRef: core.lastRef || undefined,
        },
      };
    },
    opened: () => {
      for (const part of around.parts()) part.joined?.();
      seek();
    },
    closed: (code, reason, opened) => {
      switch (code) {
        case CLOSED_TAKEN:
        case CLOSED_FOREIGN:
          if (claim !== undefined) loseSession(claim.id);
          leave();
          if (code === CLOSED_TAKEN) {
            warn("another page took this session; reload to join as a new one");
          } else {
            wish = undefined;
            void enter();
          }
          return false;
        case CLOSED_BAD_QUERY:
          warn(`the hub refuses this client: ${reason}`);
          return false;
        default:
          if (!opened && !explained) {
            explained = true;
            void diagnose(hub);
          }
          return true;
      }
    },
  });

  async function enter(): Promise<void> {
    const mine = ++turn;
    const claimed = driven === undefined ? await claimSession(wish) : { id: driven.session, release: () => undefined };
    if (mine !== turn) {
      claimed.release();
      return;
    }
    claim = claimed;
    wish = claimed.id;
    link.start(claimed.id);
  }

  function leave(): void {
    turn++;
    link.stop();
    claim?.release();
    claim = undefined;
  }

  const hide = (): void => {
    link.page?.notifyNow("page/leaving", {});
    // The back/forward cache refuses pages that hold a lock or a socket.
    leave();
  };
  const show = (event: PageTransitionEvent): void => {
    core.leaving = "";
    if (event.persisted) void enter();
    else link.hurry();
  };

  watchPolicy(hub);
  const leaves = (leaving: string): void => {
    core.leaving = leaving;
    link.page?.notify("page/info", { leaving });
    // The browser gives no event for a download or an empty response, so a navigation is forgotten after a while. A
    // driver does report it.
    if (leaving !== "" && input === undefined) after(LEAVING_MS, () => core.leaving === leaving && leaves(""));
  };
  watchNavigation(() => link.page, leaves);
  if (driven !== undefined) {
    driven.stays = () => core.leaving !== "" && leaves("");
    driven.parts = around.parts;
  }
  // With real input, the driver itself notices dialogs and answers them.
  if (input === undefined) watchDialogs((dialog) => link.page?.notifyNow("page/info", { dialog }));
  listen(window, ["pagehide"], hide, leaving);
  listen(window, ["pageshow"], show, leaving);
  listen(window, ["online"], link.hurry, leaving);
  listen(document, ["visibilitychange"], link.hurry, leaving);
  whenShown(() => void enter());

  const own: Own = {
    version: VERSION,
    get session() {
      return claim?.id ?? "";
    },
    get connected() {
      return link.page !== undefined;
    },
    get signal() {
      return link.page?.signal;
    },
    tool: async (...what) => (await load("tools")).tool(...what),
    untool: async (name) => (await load("tools")).untool(name),
    state: async (...what) => (await load("state")).state(...what),
    changed: () => parts.state?.changed(),
    pause: (...parts) => {
      paused = parts.join("\x1f");
      link.page?.notify("page/info", { paused });
    },
    resume: () => own.pause(""),
    close() {
      leaving.abort();
      leave();
      close();
      left();
    },
  };
  const verbs = VERBS.split(" ").map((name) => [
    name,
    async (...args: unknown[]) => (await load("verbs")).ask(name, args, own.signal),
  ]);
  return Object.assign(own, Object.fromEntries(verbs) as PageVerbs);
}

/** The session of the parent page, if it is of the same origin. */
function above(): string | undefined {
  try {
    return window === parent ? undefined : (parent as Window & { eye?: Eye }).eye?.session || undefined;
  } catch {
    return undefined;
  }
}

/** Waits until a prerendered page is shown: it must not take the session of the page before it. */
function whenShown(then: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering === true)
    document.addEventListener("prerenderingchange", then, { once: true });
  else then();
}

/**
 * The address is used only where the page asks for it. Otherwise a link could choose which session its visitor
 * continues.
 */
function wishedSession(option: string | undefined): string | undefined {
  const wish = option === FROM_URL ? new URLSearchParams(location.search).get("sessionId") : option;
  if (!wish || isSessionId(wish)) return wish || undefined;
  warn(`${JSON.stringify(wish)} is no session id: 1 to 64 of [A-Za-z0-9_.-]`);
  return undefined;
}

function hubUrl(hub: string): URL {
  return new URL(hub.replace(/^ws/, "http").replace(/\/?$/, "/"), location.href);
}
