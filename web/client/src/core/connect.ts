// Puts the client together: one per document, joined to its hub from `connect` until `close`.

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
  /** Where the hub is, `http://localhost:8765` if not said. */
  readonly hub?: string | undefined;
  /** A name that people and agents call this page by. */
  readonly alias?: string | undefined;
  /** The session to be; `"url"` takes it from the address, `?sessionId=`. */
  readonly session?: string | undefined;
  /** A token that makes it a page of its origin (`eye token new NAME --may join`), where the hub asks for one. */
  readonly token?: string | undefined;
  /** Provides `document.modelContext` where the browser has none. */
  readonly webmcp?: boolean | undefined;
  /** `false` refuses to run agents' code. */
  readonly eval?: boolean | undefined;
}

/** What a browser that eye drives lends to the client. */
export interface Driven {
  readonly session: string;
  /** In place of a socket, which a page's policy may forbid. */
  open(): Socket;
  /** Missing where it only carries messages: the page is then on its own, as one that joins by a tag. */
  readonly input: Input | undefined;
  /** Set by the client: the browser says that what the document was leaving for did not come. */
  stays?: () => void;
  /** Set by the client: the parts that were loaded. */
  parts?: Surroundings["parts"];
}

export interface Eye extends PageVerbs {
  readonly version: string;
  /** The name under which agents reach this page; empty until it is claimed. */
  readonly session: string;
  readonly connected: boolean;
  /** Aborts when the call whose code runs at this moment is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** Offers a function to agents. A tool of the same name is replaced. Rejects what is no tool. */
  tool(tool: Tool, options?: ToolOptions): Promise<void>;
  untool(name: string): Promise<void>;
  /**
   * Publishes what `source` is, or returns, as JSON: now, and whenever a call or the person has changed it. Another
   * source takes its place.
   */
  state(source: StateSource, options?: StateOptions): Promise<void>;
  /** Says that the state has changed by itself: an idle page is not looked at. */
  changed(): void;
  /** Agents get this message instead of answers, until `resume`. What the page publishes, they still read. */
  pause(message: string, hint?: string): void;
  resume(): void;
  close(): void;
}

/** Every one of them is the part `verbs`'s to do. */
const VERBS = `${PAGE_VERBS} publish subscribe request respond tell onMessage app`;

const HUB_DEFAULT = "http://localhost:8765";

/** Instead of a session: it stands in the address, as `?sessionId=`. */
const FROM_URL = "url";

type Own = Omit<Eye, keyof PageVerbs>;

/** Shared by every copy of this client in a document. */
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
  // An element with this id is no property of the window's own, and gives way.
  const name = Object.hasOwn(globalThis, "eye") ? "eyeClient" : "eye";
  if (name !== "eye") warn("this page has its own `eye`; use `eyeClient`");
  define(name, eye);
  // Components that were there before it offer their tools now.
  dispatchEvent(new Event("eye:client"));
}

function define(name: string | symbol, value: Eye): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

function join(loadPart: LoadPart, options: ConnectOptions, left: () => void, driven: Driven | undefined): Eye {
  const hub = hubUrl(options.hub ?? HUB_DEFAULT);
  const { realm, trust, trustUrl, blocked } = ability(options.eval !== false);
  const input = driven?.input;
  // A page with hands is never slowed down, and its policy may forbid a worker.
  const { after, close } = input === undefined ? side(trustUrl) : timers;

  const around: Surroundings = {
    realm,
    frame: async (name) => {
      const frame = (await load("verbs")).frame(name);
      if (typeof frame === "string") return frame;
      // By document, for a frame's window stays the same when the frame goes elsewhere.
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
      // The hub keeps the one that was asked for, for a page of another origin.
      if (claim !== undefined && sessionId !== undefined && sessionId !== claim.id) {
        claim = { ...claim, id: sessionId };
        // A driver knows its documents by their frames.
        link.session = driven === undefined ? rememberSession(sessionId, wish) : sessionId;
      }
      for (const part of around.parts()) part.welcomed?.();
    },
    parts: () => Object.values(parts),
    called: (delta) => {
      for (const part of around.parts()) part.called?.(delta);
    },
  };

  const parts: { -readonly [Name in keyof Parts]?: Parts[Name] } = {};
  /**
   * One promise for all who ask: they go on in the order in which they asked, which imports of one module do not
   * promise.
   */
  const loading: Record<string, Promise<Part> | undefined> = {};
  const load = <Name extends keyof Parts>(name: Name): Promise<Parts[Name]> =>
    (loading[name] ??= loadPart(name, hub).then(
      (offer) => {
        const part = offer(core);
        parts[name] = part;
        if (link.page !== undefined) part.joined?.();
        return part;
      },
      (error: unknown) => {
        // Browsers try a module that failed again.
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

  /** Loads what WebMCP needs once there is some: in the browser, or a form that says so. */
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
  /** Grows with every claim and release, so that a claim that comes late is given back. */
  let turn = 0;

  const told = watchInfo((changes) => link.page?.notify("page/info", changes));

  const link = linkTo(hub, around, {
    open: driven?.open,
    token: options.token,
    hello: () => {
      const page = pageInfo();
      told(page);
      return {
        clientType: "browser",
        version: PROTOCOL_VERSION,
        typed: true,
        batch: true,
        page: {
          ...page,
          loading: page.loading || undefined,
          // What is undefined is not written.
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
    // A page that holds a lock or a socket cannot be kept for the way back.
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
    // A download or an empty response says nothing: what has not come by then does not come. A driver does say it.
    if (leaving !== "" && input === undefined) after(LEAVING_MS, () => core.leaving === leaving && leaves(""));
  };
  watchNavigation(() => link.page, leaves);
  if (driven !== undefined) {
    driven.stays = () => core.leaving !== "" && leaves("");
    driven.parts = around.parts;
  }
  // A browser with hands tells its driver of them, and answers them.
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
    pause: (...said) => {
      paused = said.join("\x1f");
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

/** The session of the page that this one is a frame of, if it is one that may be looked at. */
function above(): string | undefined {
  try {
    return window === parent ? undefined : (parent as Window & { eye?: Eye }).eye?.session || undefined;
  } catch {
    return undefined;
  }
}

/** A page that is only being prepared must not take the session of the one before it. */
function whenShown(then: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering === true)
    document.addEventListener("prerenderingchange", then, { once: true });
  else then();
}

/**
 * The address is taken only where the page asks for it: a link would otherwise choose which session its visitor
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
