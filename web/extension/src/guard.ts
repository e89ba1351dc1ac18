// Checks what a hub may do in a granted tab, and filters what it receives. A malicious or curious hub gets only what
// eye's verbs need: no files, no cookies of other sites, no worlds of other extensions, no targets besides the tab.
// Pure: makes no calls to the browser.

export type Params = Readonly<Record<string, unknown>>;

/** A JavaScript execution context of a tab. */
export interface Context {
  readonly origin: string;
  /** The page's own world, or eye's isolated world; not one of another extension. */
  readonly own: boolean;
  readonly frame: string;
}

/** The guard's data about a tab, or about a frame of another site in a tab. */
export interface Granted {
  /** The id of the main frame, which is also the target's id. */
  readonly target: string;
  /** The tab is accessed without the debugger. */
  readonly scripted?: boolean;
  /** This is a frame in a granted tab: each of its documents is checked by its own origin. */
  readonly inner?: boolean;
  readonly url: string;
  readonly may: (origin: string) => boolean;
  /** The granted sites; `undefined`: the tab itself is granted, for any site. */
  readonly sites: readonly string[] | undefined;
  readonly contexts: ReadonlyMap<number, Context>;
  /** Requests of granted documents that were reported to the hub. */
  readonly requests: Set<string>;
}

/** Most remembered requests; the bodies of older ones are refused. */
const REQUESTS_MAX = 2_000;

/** Why a command is refused in a tab that is granted by its site and shows another one. */
export const ELSEWHERE = "the tab shows what is not granted";

/** Why a command is refused in a tab without the debugger. */
const DEBUGGER = "needs the debugger permission; `eye extension` writes the extension that has it";

export class Refusal extends Error {
  override readonly name = "Refusal";
}

type Check = (params: Params, tab: Granted) => Params;

interface Rule {
  readonly params: readonly string[];
  readonly check?: Check;
}

const NOTHING: Rule = { params: [] };

/** Functions that the hub's client calls. The hub chooses the name, never the page. */
const BINDING = /^eye_[a-z0-9]{1,32}$/;

/** The isolated world in which the hub looks, so that pages cannot hide anything from it. */
export const WORLD = "eye";

/** Harmless in any world: checks whether the page answers at all. */
const PROBE = "0";

const inContext: Check = (params, tab) => {
  if (params.contextId === undefined) {
    if (params.expression === PROBE) return params;
    throw new Refusal("evaluate in a context of a granted document");
  }
  const context = tab.contexts.get(Number(params.contextId));
  if (context === undefined || !context.own || !tab.may(context.origin)) {
    throw new Refusal("this context is not of a granted document");
  }
  return params;
};

/**
 * Runs code for future documents only in those of granted sites. The code stays a string, so that it cannot escape the
 * condition.
 */
const inGranted: Check = (params, tab) => {
  if (typeof params.source !== "string") throw new Refusal("source is missing");
  if (tab.sites === undefined) return params;
  const source = `if(${JSON.stringify(tab.sites)}.includes(location.origin))(0,eval)(${JSON.stringify(params.source)})`;
  return { ...params, source };
};

/** Allows navigation to web pages only; if the tab is granted by its site, only to that site. */
const toGranted: Check = (params, tab) => {
  const url = String(params.url);
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new Refusal("this is not an address of the web");
  if (!tab.may(new URL(url).origin)) throw new Refusal("this site is not granted");
  return params;
};

/** Allows eye's isolated world in a granted document; other extensions run nothing in it. */
const beside: Check = (params, tab) => {
  const is = ({ frame, own, origin }: Context): boolean => frame === params.frameId && own && tab.may(origin);
  if (params.worldName === WORLD && [...tab.contexts.values()].some(is)) return params;
  throw new Refusal("this is not eye's own world of a granted document");
};

/** Attaches only to frames of other sites, which never wait for a hub that may be gone. */
const framesOnly: Check = (params) => {
  if (params.autoAttach !== true || params.flatten !== true) throw new Refusal("only frames are attached to");
  const filter = [{ type: "iframe", exclude: false }];
  return { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter };
};

/**
 * The one function that may run on an element: it tells eye's client which frame the element shows (`drive/outer.rs`).
 */
export const TELL = `function (receive, label) {
  let view = this.ownerDocument.defaultView;
  while (view && !view[receive] && view.frameElement) view = view.parent;
  view?.[receive]?.(\`&\${label}\`, undefined, this);
}`;

const showing: Check = (params) => {
  const [receive, label, ...more] = (params.arguments ?? []) as readonly { value?: unknown }[];
  const named = BINDING.test(String(receive?.value)) && /^[a-z0-9 ]{1,20}$/.test(String(label?.value));
  if (params.functionDeclaration === TELL && named && more.length === 0) return params;
  throw new Refusal("no function runs on an element but eye's own");
};

/** Checks the names with which the client joins in a tab without the debugger. */
const joining: Check = (params) => {
  const names = [params.binding, params.receive].every((name) => typeof name === "string" && BINDING.test(name));
  if (names && typeof params.session === "string" && /^[a-z0-9]{1,32}$/.test(params.session)) return params;
  throw new Refusal("these are not names of eye's");
};

const telling: Check = (params, tab) => {
  const context = tab.contexts.get(Number(params.contextId));
  if (context === undefined || !tab.may(context.origin)) throw new Refusal("this is not a granted document");
  if (typeof params.message !== "string") throw new Refusal("the message is missing");
  return params;
};

const named: Check = (params) => {
  if (typeof params.name === "string" && BINDING.test(params.name)) return params;
  throw new Refusal("this is not a name of eye's");
};

const withoutFiles: Check = (params) => {
  const data = params.data as { files?: readonly unknown[] } | undefined;
  if ((data?.files?.length ?? 0) > 0) throw new Refusal("files of this machine are not given to pages");
  return params;
};

const isKnownRequest: Check = (params, tab) => {
  if (tab.sites === undefined || tab.requests.has(String(params.requestId))) return params;
  throw new Refusal("this is not a request of a granted document");
};

/** Whether a cookie of this domain is sent to this host. */
function covers(domain: string, host: string): boolean {
  const bare = domain.replace(/^\./, "").toLowerCase();
  return bare !== "" && (host === bare || host.endsWith(`.${bare}`));
}

const ofThisSite: Check = (params, tab) => {
  const { hostname: host, origin } = new URL(tab.url);
  const url = params.url === undefined ? undefined : new URL(String(params.url));
  const fits =
    (url === undefined || url.origin === origin) &&
    (params.domain === undefined || covers(String(params.domain), host)) &&
    (url !== undefined || params.domain !== undefined);
  if (!fits) throw new Refusal("this cookie is of another site");
  return params;
};

/** Without `urls`, the browser would return the cookies of every frame. */
const hereOnly: Check = (_, tab) => ({ urls: [tab.url] });

const RULES: Readonly<Record<string, Rule>> = {
  "Page.enable": NOTHING,
  "Page.navigate": { params: ["url"], check: toGranted },
  "Page.createIsolatedWorld": { params: ["frameId", "worldName"], check: beside },
  "Page.reload": { params: ["ignoreCache"] },
  "Page.bringToFront": NOTHING,
  "Page.getLayoutMetrics": NOTHING,
  "Page.getNavigationHistory": NOTHING,
  "Page.captureScreenshot": { params: ["format", "quality", "optimizeForSpeed", "captureBeyondViewport", "clip"] },
  "Page.printToPDF": { params: ["printBackground", "preferCSSPageSize"] },
  "Page.handleJavaScriptDialog": { params: ["accept", "promptText"] },
  "Page.addScriptToEvaluateOnNewDocument": { params: ["source", "runImmediately"], check: inGranted },
  "Runtime.enable": NOTHING,
  "Runtime.runIfWaitingForDebugger": NOTHING,
  "Runtime.terminateExecution": NOTHING,
  "Runtime.addBinding": { params: ["name"], check: named },
  "Runtime.evaluate": {
    params: ["expression", "contextId", "silent", "awaitPromise", "returnByValue", "userGesture", "timeout"],
    check: inContext,
  },
  // The position of a frame in the tab, so that input hits it and pictures hide what is not granted; and which frame it
  // is.
  "DOM.getFrameOwner": { params: ["frameId"] },
  "DOM.getBoxModel": { params: ["backendNodeId"] },
  "DOM.resolveNode": { params: ["backendNodeId"] },
  "Runtime.callFunctionOn": { params: ["objectId", "functionDeclaration", "arguments", "silent"], check: showing },
  "Runtime.releaseObject": { params: ["objectId"] },
  "Page.getFrameTree": NOTHING,
  "Target.setAutoAttach": { params: ["autoAttach", "waitForDebuggerOnStart", "flatten", "filter"], check: framesOnly },
  "Input.dispatchMouseEvent": {
    params: [
      ...["type", "x", "y", "modifiers", "timestamp", "button", "buttons", "clickCount", "force", "tangentialPressure"],
      ...["tiltX", "tiltY", "twist", "deltaX", "deltaY", "pointerType"],
    ],
  },
  "Input.dispatchKeyEvent": {
    params: [
      ...["type", "modifiers", "timestamp", "text", "unmodifiedText", "keyIdentifier", "code", "key", "commands"],
      ...["windowsVirtualKeyCode", "nativeVirtualKeyCode", "autoRepeat", "isKeypad", "isSystemKey", "location"],
    ],
  },
  "Input.dispatchTouchEvent": { params: ["type", "touchPoints", "modifiers", "timestamp"] },
  "Input.dispatchDragEvent": { params: ["type", "x", "y", "data", "modifiers"], check: withoutFiles },
  "Input.insertText": { params: ["text"] },
  "Emulation.setFocusEmulationEnabled": { params: ["enabled"] },
  "Emulation.setDeviceMetricsOverride": { params: ["width", "height", "deviceScaleFactor", "mobile"] },
  "Emulation.clearDeviceMetricsOverride": NOTHING,
  "Emulation.setEmulatedMedia": { params: ["features"] },
  "Emulation.setTouchEmulationEnabled": { params: ["enabled", "maxTouchPoints"] },
  "Emulation.setGeolocationOverride": { params: ["latitude", "longitude", "accuracy"] },
  "Emulation.clearGeolocationOverride": NOTHING,
  "Network.enable": NOTHING,
  "Network.disable": NOTHING,
  "Network.emulateNetworkConditions": { params: ["offline", "latency", "downloadThroughput", "uploadThroughput"] },
  "Network.getRequestPostData": { params: ["requestId"], check: isKnownRequest },
  "Network.getResponseBody": { params: ["requestId"], check: isKnownRequest },
  "Network.getCookies": { params: [], check: hereOnly },
  "Network.setCookie": { params: ["name", "value", "url"], check: ofThisSite },
  "Network.deleteCookies": { params: ["name", "domain", "path"], check: ofThisSite },
  // Commands for tabs without the debugger.
  "Eye.join": { params: ["session", "binding", "receive"], check: joining },
  "Eye.tell": { params: ["contextId", "message"], check: telling },
  "Eye.hidden": { params: ["unmasked"] },
};

/** All commands for a tab without the debugger. */
const SCRIPTED: ReadonlySet<string> = new Set([
  "Eye.join",
  "Eye.tell",
  "Eye.hidden",
  "Page.getLayoutMetrics",
  "Page.captureScreenshot",
  "Page.navigate",
  "Page.reload",
]);

/**
 * All commands for a frame with a session of its own, whatever it shows: each one names a granted document, or reveals
 * nothing about the frame.
 */
const INNER: ReadonlySet<string> = new Set([
  "Page.enable",
  "Page.getFrameTree",
  "Page.createIsolatedWorld",
  "Page.addScriptToEvaluateOnNewDocument",
  "Runtime.enable",
  "Runtime.runIfWaitingForDebugger",
  "Runtime.terminateExecution",
  "Runtime.addBinding",
  "Runtime.evaluate",
  "Runtime.callFunctionOn",
  "Runtime.releaseObject",
  "DOM.getFrameOwner",
  "DOM.getBoxModel",
  "DOM.resolveNode",
  "Target.setAutoAttach",
]);

/** Commands whose answers depend on what the tab currently shows, not on a named document. */
const ABOUT_TAB: ReadonlySet<string> = new Set([
  "Page.captureScreenshot",
  "Page.getLayoutMetrics",
  "Page.getNavigationHistory",
  "Page.printToPDF",
  "Network.getCookies",
  "Network.getRequestPostData",
  "Network.getResponseBody",
]);

export function isAboutTab(method: string): boolean {
  return ABOUT_TAB.has(method);
}

function mayAddress(tab: Granted, url: unknown): boolean {
  return tab.sites === undefined || (URL.canParse(String(url)) && tab.may(new URL(String(url)).origin));
}

/** Whether the tab shows a granted site; a tab that is granted by its site may just have left it. */
function isThere(tab: Granted): boolean {
  return mayAddress(tab, tab.url);
}

/** The params with which a command is forwarded. Throws a [`Refusal`] for anything that eye does not need. */
export function command(method: string, params: Params, tab: Granted): Params {
  const rule = Object.hasOwn(RULES, method) ? RULES[method] : undefined;
  if (rule === undefined) throw new Refusal(`${method} is not allowed`);
  const other = Object.keys(params).find((name) => !rule.params.includes(name));
  if (other !== undefined) throw new Refusal(`${method}: ${other} is not allowed`);
  if (tab.scripted === true && !SCRIPTED.has(method)) throw new Refusal(`${method} ${DEBUGGER}`);
  if (tab.scripted !== true && method.startsWith("Eye.")) throw new Refusal(`${method} is not allowed`);
  if (tab.inner === true && !INNER.has(method)) throw new Refusal(`${method} is not for a frame`);
  if (tab.inner !== true && !isThere(tab)) throw new Refusal(ELSEWHERE);
  return rule.check === undefined ? params : rule.check(params, tab);
}

/**
 * Filters an answer for the hub: of a tab's history only the current entry, of its frames only the URLs of granted
 * ones.
 */
export function answer(method: string, result: Params, tab: Granted): Params {
  switch (method) {
    case "Page.getNavigationHistory": {
      const { currentIndex, entries } = result as { currentIndex: number; entries: readonly unknown[] };
      return { currentIndex: 0, entries: [entries[currentIndex]] };
    }
    case "Page.getFrameTree":
      return { frameTree: granted(result.frameTree as Tree, tab) };
    case "DOM.resolveNode":
      return { object: { objectId: (result.object as Params).objectId } };
    case "Runtime.callFunctionOn":
      return {};
    default:
      return result;
  }
}

interface Tree {
  readonly frame: { readonly id: string; readonly url: string; readonly securityOrigin: string };
  readonly childFrames?: readonly Tree[];
}

function granted({ frame: { id, url, securityOrigin }, childFrames = [] }: Tree, tab: Granted): Tree {
  const frame = tab.may(securityOrigin) ? { id, url, securityOrigin } : { id, url: "", securityOrigin: "" };
  return { frame, childFrames: childFrames.map((child) => granted(child, tab)) };
}

/** The target info of a frame of another site, as the hub receives it. */
export function inner(info: Params, tab: Granted): Params {
  return {
    targetId: info.targetId,
    type: "iframe",
    title: "",
    url: mayAddress(tab, info.url) ? info.url : "",
    attached: true,
  };
}

const EVENTS: ReadonlySet<string> = new Set([
  "Page.javascriptDialogOpening",
  "Page.javascriptDialogClosed",
  "Page.frameDetached",
  "Page.frameStartedLoading",
  "Page.frameStoppedLoading",
  "Inspector.targetCrashed",
  "Inspector.targetReloadedAfterCrash",
  "Network.requestWillBeSent",
  "Network.responseReceived",
  "Network.loadingFinished",
  "Network.loadingFailed",
  "Network.requestServedFromCache",
]);

/** Headers that carry credentials. They are not needed to see what a page requested. */
const SECRETS = new Set(["authorization", "cookie", "set-cookie", "proxy-authorization"]);

/** Filters an event for the hub; `undefined`: the hub does not receive it. */
export function event(method: string, params: Params, tab: Granted): Params | undefined {
  switch (method) {
    case "Runtime.bindingCalled": {
      const context = tab.contexts.get(Number(params.executionContextId));
      return context?.own === true && tab.may(context.origin) && BINDING.test(String(params.name)) ? params : undefined;
    }
    case "Runtime.executionContextCreated": {
      const context = tab.contexts.get((params.context as { id: number }).id);
      return context?.own === true && tab.may(context.origin) ? params : undefined;
    }
    case "Runtime.executionContextDestroyed":
    case "Runtime.executionContextsCleared":
      return params;
    case "Page.frameAttached":
      // Without the stack of the script that created it.
      return isThere(tab) ? { frameId: params.frameId, parentFrameId: params.parentFrameId } : undefined;
    case "Page.frameStartedNavigating":
    case "Page.navigatedWithinDocument":
      // Without the URL, which may belong to a site that is not granted.
      return isThere(tab) ? { frameId: params.frameId, navigationType: params.navigationType } : undefined;
    case "Page.frameNavigated": {
      const { id, url } = params.frame as { id: string; url: string };
      return id === tab.target && mayAddress(tab, url) ? params : undefined;
    }
    default:
      if (!EVENTS.has(method) || !isThere(tab)) return undefined;
      return method.startsWith("Network.") ? ofRequest(method, params, tab) : params;
  }
}

/** Drops requests of documents that are not granted: such a URL alone can be a credential. */
function ofRequest(method: string, params: Params, tab: Granted): Params | undefined {
  const id = String(params.requestId);
  if (method === "Network.requestWillBeSent") {
    tab.requests.delete(id);
    if (!mayAddress(tab, params.documentURL)) return undefined;
    const [oldest] = tab.requests;
    if (tab.requests.size >= REQUESTS_MAX && oldest !== undefined) tab.requests.delete(oldest);
    tab.requests.add(id);
  }
  return tab.requests.has(id) || tab.sites === undefined ? withoutSecrets(params) : undefined;
}

function withoutSecrets(params: Params): Params {
  const part = (name: "request" | "response" | "redirectResponse"): Params => {
    const one = params[name] as { headers?: Params } | undefined;
    if (one?.headers === undefined) return {};
    const kept = Object.entries(one.headers).filter(([header]) => !SECRETS.has(header.toLowerCase()));
    // Remove text forms of the same headers, and data that the browser adds for its own panels.
    const { headersText, requestHeaders, requestHeadersText, ...rest } = one as Record<string, unknown>;
    return { [name]: { ...rest, headers: Object.fromEntries(kept) } };
  };
  return { ...params, ...part("request"), ...part("response"), ...part("redirectResponse") };
}
