// src/sign.ts
var MARK = "👁⁠ ";
var ACTIVE_MS = 2e3;
var MARK_AFTER_MS = 200;
var MARK_MS = 3e3;
var ON = { text: "on", color: "#1a7f37" };
var BUSY = { text: "●", color: "#c62828" };
var TOLD = /^eye_[a-z0-9]+\((".*")(?:,1)?\)$/s;
var TOLD_LEN_MAX = 4096;
var PREPARING = /* @__PURE__ */ new Set([
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
  "Runtime.releaseObject"
]);
function isForAgent(method, params) {
  if (PREPARING.has(method)) return false;
  try {
    const message = messageIn(method, params);
    if (message === void 0) return true;
    if (message === "=" || /^%f\d+$/.test(String(message))) return false;
    const frames = JSON.parse(String(message));
    if (!Array.isArray(frames)) return false;
    return frames.some((frame) => {
      const called = typeof frame === "string" ? frame : frame.method;
      return called !== void 0 && called !== "ping";
    });
  } catch {
    return true;
  }
}
function messageIn(method, params) {
  if (method === "Eye.tell") return String(params.message).length > TOLD_LEN_MAX ? void 0 : params.message;
  const expression = String(params.expression);
  if (method !== "Runtime.evaluate" || expression.length > TOLD_LEN_MAX) return void 0;
  const [, text] = TOLD.exec(expression) ?? [];
  return text === void 0 ? void 0 : JSON.parse(text);
}
var Sign = class {
  constructor(tabId, mark) {
    this.tabId = tabId;
    this.mark = mark;
    this.show();
  }
  tabId;
  mark;
  #active = false;
  #marked = false;
  #pending = 0;
  #calm;
  #marking;
  /** The badge belongs to the document and must be set again for each one. */
  show() {
    const { tabId } = this;
    const { text, color } = this.#active ? BUSY : ON;
    const title = this.#active ? "An agent uses this tab. Click to stop it." : "Agents may use this tab. Click to stop them.";
    void settled([
      chrome.action.setBadgeText({ tabId, text }),
      chrome.action.setBadgeBackgroundColor({ tabId, color }),
      chrome.action.setTitle({ tabId, title }),
      // Without a popup, a click is reported to the worker, which stops.
      chrome.action.setPopup({ tabId, popup: "" })
    ]);
  }
  /** Called before a command of the hub is executed. */
  begins(method, params) {
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
  ends() {
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
  remove() {
    clearTimeout(this.#calm);
    clearTimeout(this.#marking);
    this.#unmark();
    const { tabId } = this;
    void settled([
      chrome.action.setBadgeText({ tabId, text: "" }),
      chrome.action.setTitle({ tabId, title: "eye" }),
      chrome.action.setPopup({ tabId, popup: "popup.html" })
    ]);
  }
  #unmark() {
    if (!this.#marked) return;
    this.#marked = false;
    this.mark(false);
  }
};
async function settled(all) {
  await Promise.allSettled(all);
}

// src/debugged.ts
var VERSION = "1.3";
var PROBE = "Page.getNavigationHistory";
var MARKED = `document.title.startsWith(${JSON.stringify(MARK)})||(document.title=${JSON.stringify(MARK)}+document.title)`;
var UNMARKED = `document.title.startsWith(${JSON.stringify(MARK)})&&(document.title=document.title.slice(${String(MARK.length)}))`;
var Debugged = class {
  scripted = false;
  constructor({ happened, detached }) {
    chrome.debugger.onEvent.addListener((source, method, params) => happened(source, method, params ?? {}));
    chrome.debugger.onDetach.addListener(({ tabId }, why) => detached(tabId, why));
  }
  async attach(tabId) {
    try {
      await chrome.debugger.attach({ tabId }, VERSION);
    } catch (error) {
      await chrome.debugger.sendCommand({ tabId }, PROBE).catch(() => Promise.reject(error));
      await chrome.debugger.detach({ tabId });
      await chrome.debugger.attach({ tabId }, VERSION);
    }
    const targets = await chrome.debugger.getTargets();
    const target = targets.find((one) => one.tabId === tabId && one.type === "page")?.id;
    if (target === void 0) await chrome.debugger.detach({ tabId });
    return target;
  }
  async detach(tabId) {
    await chrome.debugger.detach({ tabId }).catch(() => void 0);
  }
  async send(debuggee, method, params) {
    return await chrome.debugger.sendCommand(debuggee, method, params) ?? {};
  }
  mark(tabId, marked) {
    const expression = marked ? MARKED : UNMARKED;
    void this.send({ tabId }, "Runtime.evaluate", { expression, silent: true }).catch(() => void 0);
  }
};

// src/grants.ts
var TABS = "tabs";
var SITES = "sites";
async function grants() {
  const [session, local] = await Promise.all([chrome.storage.session.get(TABS), chrome.storage.local.get(SITES)]);
  return { tabs: session[TABS] ?? {}, sites: local[SITES] ?? [] };
}
function originOf(url) {
  if (url === void 0 || !/^https?:/.test(url)) return void 0;
  return new URL(url).origin;
}
function patterns(origin2) {
  return [`${origin2}/*`];
}
function how({ tabs: tabs2, sites }, tabId, url) {
  const own = tabs2[tabId];
  const origin2 = originOf(url);
  if (own === "stopped" || origin2 === void 0) return void 0;
  if (own === "granted") return "tab";
  return sites.includes(origin2) ? "site" : void 0;
}
var last = Promise.resolve();
function change(make) {
  const mine = last.then(make);
  last = mine.catch(() => void 0);
  return mine;
}
function setTab(tabId, to) {
  return change(async () => {
    const { [tabId]: _, ...others } = (await grants()).tabs;
    await chrome.storage.session.set({ [TABS]: to === void 0 ? others : { ...others, [tabId]: to } });
  });
}
function setSite(origin2, granted2) {
  return change(async () => {
    const others = (await grants()).sites.filter((site2) => site2 !== origin2);
    await chrome.storage.local.set({ [SITES]: granted2 ? [...others, origin2] : others });
  });
}
function forgetTabs(stopped) {
  return change(
    () => chrome.storage.session.set({ [TABS]: Object.fromEntries(stopped.map((tabId) => [tabId, "stopped"])) })
  );
}

// src/link.ts
var PROTOCOL = "eye.extension";
var PAIRING = "pairing";
var PORT_DEFAULT = 8765;
var ALIVE_MS = 2e4;
var ALIVE = JSON.stringify({ method: "Eye.alive", params: {} });
var RETRY_MS_MIN = 250;
var RETRY_MS_MAX = 1e4;
var UNPAIRED = [4007, 4008];
var NONCE_BYTES = 26;
var LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
function readCode(text) {
  const [, port, rest = ""] = /^\s*(?:(\d{2,5})[-\s]+)?([0-9A-Za-z\s-]+)$/.exec(text) ?? [];
  const code = rest.toUpperCase().replace(/[^0-9A-Z]/g, "");
  const number = port === void 0 ? PORT_DEFAULT : Number(port);
  return code.length === 12 && number <= 65535 ? { code, port: number } : void 0;
}
var PairedConnection = class {
  constructor(receive, changed) {
    this.receive = receive;
    this.changed = changed;
    setInterval(() => this.#proven && this.#socket?.send(ALIVE), ALIVE_MS);
  }
  receive;
  changed;
  #socket;
  #proven = false;
  #why = "";
  #pairing;
  #retryMs = RETRY_MS_MIN;
  #loaded;
  async state() {
    await this.#load();
    return { paired: this.#pairing !== void 0, connected: this.#proven, why: this.#why };
  }
  send(message) {
    if (this.#proven) this.#socket?.send(JSON.stringify(message));
  }
  /** Connects if paired and not connected yet. */
  async connect() {
    await this.#load();
    const pairing = this.#pairing;
    if (pairing === void 0 || this.#socket !== void 0) return;
    this.#open(pairing.port, pairing.secret, pairing.id);
  }
  /** Pairs with the hub that printed this code. Rejects with the reason for a failure. */
  async pair(text) {
    const read = readCode(text);
    if (read === void 0) throw new Error("this is not a code of `eye extension`");
    await this.unpair();
    await new Promise((resolve, reject) => this.#open(read.port, read.code, void 0, resolve, reject));
  }
  async unpair() {
    await this.#load();
    this.#pairing = void 0;
    this.#why = "";
    await chrome.storage.local.remove(PAIRING);
    const socket = this.#socket;
    this.#socket = void 0;
    socket?.close();
    this.#left();
  }
  #load() {
    this.#loaded ??= chrome.storage.local.get(PAIRING).then(({ [PAIRING]: kept }) => {
      this.#pairing ??= kept;
    });
    return this.#loaded;
  }
  #open(port, secret, id, paired, failed) {
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)), (byte) => LETTERS[byte % 32]).join(
      ""
    );
    const offers = [PROTOCOL, `nonce.${nonce}`, ...id === void 0 ? [] : [`id.${id}`]];
    const socket = new WebSocket(`ws://localhost:${String(port)}/extension`, offers);
    this.#socket = socket;
    let proving = "nothing";
    const fail = (why) => {
      this.#why = why;
      failed?.(new Error(why));
    };
    const enter = () => {
      proving = "done";
      this.#proven = true;
      this.#why = "";
      this.#retryMs = RETRY_MS_MIN;
      this.changed(true);
    };
    socket.onmessage = async ({ data }) => {
      if (this.#socket !== socket) return;
      const message = JSON.parse(String(data));
      if (proving === "done") return this.receive(message);
      if (proving === "nothing") {
        proving = "checking";
        const { nonce: theirs, proofs } = message.params;
        if (message.method !== "Eye.prove" || !proofs.includes(await proof(secret, `hub ${nonce} ${theirs}`))) {
          fail(
            id === void 0 ? "this code is wrong, was used already, or is too old" : "what listens there is not your hub"
          );
          return socket.close();
        }
        const answer2 = { method: "Eye.prove", params: { proof: await proof(secret, `extension ${theirs} ${nonce}`) } };
        socket.send(JSON.stringify(answer2));
        if (id !== void 0) enter();
        else proving = "proven";
        return;
      }
      if (proving !== "proven" || message.method !== "Eye.paired") return;
      const { id: given, secret: kept, name } = message.params;
      this.#pairing = { id: given, secret: kept, name, port };
      enter();
      await chrome.storage.local.set({ [PAIRING]: this.#pairing });
      paired?.();
    };
    socket.onclose = ({ code, reason: reason2 }) => {
      if (this.#socket !== socket) return;
      this.#socket = void 0;
      if (UNPAIRED.includes(code)) {
        this.#pairing = void 0;
        void chrome.storage.local.remove(PAIRING);
      }
      fail(this.#why !== "" && !this.#proven ? this.#why : reason2 || `no hub listens at port ${String(port)}`);
      this.#left();
      if (this.#pairing === void 0) return;
      setTimeout(() => void this.connect(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
    };
  }
  #left() {
    const was = this.#proven;
    this.#proven = false;
    if (was) this.changed(false);
  }
};
async function proof(secret, text) {
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), algorithm, false, ["sign"]);
  const tag = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(text)));
  return Array.from(tag, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// src/guard.ts
var REQUESTS_MAX = 2e3;
var ELSEWHERE = "the tab shows what is not granted";
var DEBUGGER = "needs the debugger permission; `eye extension` writes the extension that has it";
var Refusal = class extends Error {
  name = "Refusal";
};
var NOTHING = { params: [] };
var BINDING = /^eye_[a-z0-9]{1,32}$/;
var WORLD = "eye";
var PROBE2 = "0";
var inContext = (params, tab) => {
  if (params.contextId === void 0) {
    if (params.expression === PROBE2) return params;
    throw new Refusal("evaluate in a context of a granted document");
  }
  const context = tab.contexts.get(Number(params.contextId));
  if (context === void 0 || !context.own || !tab.may(context.origin)) {
    throw new Refusal("this context is not of a granted document");
  }
  return params;
};
var inGranted = (params, tab) => {
  if (typeof params.source !== "string") throw new Refusal("source is missing");
  if (tab.sites === void 0) return params;
  const source = `if(${JSON.stringify(tab.sites)}.includes(location.origin))(0,eval)(${JSON.stringify(params.source)})`;
  return { ...params, source };
};
var toGranted = (params, tab) => {
  const url = String(params.url);
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new Refusal("this is not an address of the web");
  if (!tab.may(new URL(url).origin)) throw new Refusal("this site is not granted");
  return params;
};
var beside = (params, tab) => {
  const is = ({ frame, own, origin: origin2 }) => frame === params.frameId && own && tab.may(origin2);
  if (params.worldName === WORLD && [...tab.contexts.values()].some(is)) return params;
  throw new Refusal("this is not eye's own world of a granted document");
};
var framesOnly = (params) => {
  if (params.autoAttach !== true || params.flatten !== true) throw new Refusal("only frames are attached to");
  const filter = [{ type: "iframe", exclude: false }];
  return { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter };
};
var TELL = `function (receive, label) {
  let view = this.ownerDocument.defaultView;
  while (view && !view[receive] && view.frameElement) view = view.parent;
  view?.[receive]?.(\`&\${label}\`, undefined, this);
}`;
var showing = (params) => {
  const [receive, label, ...more] = params.arguments ?? [];
  const named2 = BINDING.test(String(receive?.value)) && /^[a-z0-9 ]{1,20}$/.test(String(label?.value));
  if (params.functionDeclaration === TELL && named2 && more.length === 0) return params;
  throw new Refusal("no function runs on an element but eye's own");
};
var joining = (params) => {
  const names = [params.binding, params.receive].every((name) => typeof name === "string" && BINDING.test(name));
  if (names && typeof params.session === "string" && /^[a-z0-9]{1,32}$/.test(params.session)) return params;
  throw new Refusal("these are not names of eye's");
};
var telling = (params, tab) => {
  const context = tab.contexts.get(Number(params.contextId));
  if (context === void 0 || !tab.may(context.origin)) throw new Refusal("this is not a granted document");
  if (typeof params.message !== "string") throw new Refusal("the message is missing");
  return params;
};
var named = (params) => {
  if (typeof params.name === "string" && BINDING.test(params.name)) return params;
  throw new Refusal("this is not a name of eye's");
};
var withoutFiles = (params) => {
  const data = params.data;
  if ((data?.files?.length ?? 0) > 0) throw new Refusal("files of this machine are not given to pages");
  return params;
};
var isKnownRequest = (params, tab) => {
  if (tab.sites === void 0 || tab.requests.has(String(params.requestId))) return params;
  throw new Refusal("this is not a request of a granted document");
};
function covers(domain, host) {
  const bare = domain.replace(/^\./, "").toLowerCase();
  return bare !== "" && (host === bare || host.endsWith(`.${bare}`));
}
var ofThisSite = (params, tab) => {
  const { hostname: host, origin: origin2 } = new URL(tab.url);
  const url = params.url === void 0 ? void 0 : new URL(String(params.url));
  const fits = (url === void 0 || url.origin === origin2) && (params.domain === void 0 || covers(String(params.domain), host)) && (url !== void 0 || params.domain !== void 0);
  if (!fits) throw new Refusal("this cookie is of another site");
  return params;
};
var hereOnly = (_, tab) => ({ urls: [tab.url] });
var RULES = {
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
    check: inContext
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
      ...["tiltX", "tiltY", "twist", "deltaX", "deltaY", "pointerType"]
    ]
  },
  "Input.dispatchKeyEvent": {
    params: [
      ...["type", "modifiers", "timestamp", "text", "unmodifiedText", "keyIdentifier", "code", "key", "commands"],
      ...["windowsVirtualKeyCode", "nativeVirtualKeyCode", "autoRepeat", "isKeypad", "isSystemKey", "location"]
    ]
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
  "Eye.hidden": { params: ["unmasked"] }
};
var SCRIPTED = /* @__PURE__ */ new Set([
  "Eye.join",
  "Eye.tell",
  "Eye.hidden",
  "Page.getLayoutMetrics",
  "Page.captureScreenshot",
  "Page.navigate",
  "Page.reload"
]);
var INNER = /* @__PURE__ */ new Set([
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
  "Target.setAutoAttach"
]);
var ABOUT_TAB = /* @__PURE__ */ new Set([
  "Page.captureScreenshot",
  "Page.getLayoutMetrics",
  "Page.getNavigationHistory",
  "Page.printToPDF",
  "Network.getCookies",
  "Network.getRequestPostData",
  "Network.getResponseBody"
]);
function isAboutTab(method) {
  return ABOUT_TAB.has(method);
}
function mayAddress(tab, url) {
  return tab.sites === void 0 || URL.canParse(String(url)) && tab.may(new URL(String(url)).origin);
}
function isThere(tab) {
  return mayAddress(tab, tab.url);
}
function command(method, params, tab) {
  const rule = Object.hasOwn(RULES, method) ? RULES[method] : void 0;
  if (rule === void 0) throw new Refusal(`${method} is not allowed`);
  const other = Object.keys(params).find((name) => !rule.params.includes(name));
  if (other !== void 0) throw new Refusal(`${method}: ${other} is not allowed`);
  if (tab.scripted === true && !SCRIPTED.has(method)) throw new Refusal(`${method} ${DEBUGGER}`);
  if (tab.scripted !== true && method.startsWith("Eye.")) throw new Refusal(`${method} is not allowed`);
  if (tab.inner === true && !INNER.has(method)) throw new Refusal(`${method} is not for a frame`);
  if (tab.inner !== true && !isThere(tab)) throw new Refusal(ELSEWHERE);
  return rule.check === void 0 ? params : rule.check(params, tab);
}
function answer(method, result, tab) {
  switch (method) {
    case "Page.getNavigationHistory": {
      const { currentIndex, entries } = result;
      return { currentIndex: 0, entries: [entries[currentIndex]] };
    }
    case "Page.getFrameTree":
      return { frameTree: granted(result.frameTree, tab) };
    case "DOM.resolveNode":
      return { object: { objectId: result.object.objectId } };
    case "Runtime.callFunctionOn":
      return {};
    default:
      return result;
  }
}
function granted({ frame: { id, url, securityOrigin }, childFrames = [] }, tab) {
  const frame = tab.may(securityOrigin) ? { id, url, securityOrigin } : { id, url: "", securityOrigin: "" };
  return { frame, childFrames: childFrames.map((child) => granted(child, tab)) };
}
function inner(info, tab) {
  return {
    targetId: info.targetId,
    type: "iframe",
    title: "",
    url: mayAddress(tab, info.url) ? info.url : "",
    attached: true
  };
}
var EVENTS = /* @__PURE__ */ new Set([
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
  "Network.requestServedFromCache"
]);
var SECRETS = /* @__PURE__ */ new Set(["authorization", "cookie", "set-cookie", "proxy-authorization"]);
function event(method, params, tab) {
  switch (method) {
    case "Runtime.bindingCalled": {
      const context = tab.contexts.get(Number(params.executionContextId));
      return context?.own === true && tab.may(context.origin) && BINDING.test(String(params.name)) ? params : void 0;
    }
    case "Runtime.executionContextCreated": {
      const context = tab.contexts.get(params.context.id);
      return context?.own === true && tab.may(context.origin) ? params : void 0;
    }
    case "Runtime.executionContextDestroyed":
    case "Runtime.executionContextsCleared":
      return params;
    case "Page.frameAttached":
      return isThere(tab) ? { frameId: params.frameId, parentFrameId: params.parentFrameId } : void 0;
    case "Page.frameStartedNavigating":
    case "Page.navigatedWithinDocument":
      return isThere(tab) ? { frameId: params.frameId, navigationType: params.navigationType } : void 0;
    case "Page.frameNavigated": {
      const { id, url } = params.frame;
      return id === tab.target && mayAddress(tab, url) ? params : void 0;
    }
    default:
      if (!EVENTS.has(method) || !isThere(tab)) return void 0;
      return method.startsWith("Network.") ? ofRequest(method, params, tab) : params;
  }
}
function ofRequest(method, params, tab) {
  const id = String(params.requestId);
  if (method === "Network.requestWillBeSent") {
    tab.requests.delete(id);
    if (!mayAddress(tab, params.documentURL)) return void 0;
    const [oldest] = tab.requests;
    if (tab.requests.size >= REQUESTS_MAX && oldest !== void 0) tab.requests.delete(oldest);
    tab.requests.add(id);
  }
  return tab.requests.has(id) || tab.sites === void 0 ? withoutSecrets(params) : void 0;
}
function withoutSecrets(params) {
  const part = (name) => {
    const one = params[name];
    if (one?.headers === void 0) return {};
    const kept = Object.entries(one.headers).filter(([header]) => !SECRETS.has(header.toLowerCase()));
    const { headersText, requestHeaders, requestHeadersText, ...rest } = one;
    return { [name]: { ...rest, headers: Object.fromEntries(kept) } };
  };
  return { ...params, ...part("request"), ...part("response"), ...part("redirectResponse") };
}

// src/picture.ts
var QUOTA = /MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND/;
var QUOTA_MS = 550;
var TRIES = 4;
var ACCESS = /activeTab|all_urls/;
var ROUNDED_PX = 1;
var STRETCHED_MAX = 0.02;
var PERCENT = 100;
var CHUNK = 32768;
async function capture(tabId, wanted, measure) {
  const { windowId, active } = await chrome.tabs.get(tabId);
  if (!active) await chrome.tabs.update(tabId, { active: true });
  const before = await measure();
  const picture = await ofTab(tabId, windowId);
  const after = await measure();
  const bitmap = await createImageBitmap(await (await fetch(picture)).blob());
  const source = place(wanted, after, bitmap);
  if (before.pageX !== after.pageX || before.pageY !== after.pageY || before.width !== after.width)
    throw new Refusal("the page moved while its picture was taken");
  const { clip, format, quality } = wanted;
  const side = (length) => Math.max(1, Math.round(length * clip.scale * after.density));
  const canvas = new OffscreenCanvas(side(clip.width), side(clip.height));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("there is no room for a picture");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, ...source, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const options = { type: `image/${format}`, ...quality === void 0 ? {} : { quality: quality / PERCENT } };
  return { data: base64(new Uint8Array(await (await canvas.convertToBlob(options)).arrayBuffer())) };
}
async function ofTab(tabId, windowId) {
  let switched = false;
  const noted = (info) => {
    switched ||= info.windowId === windowId;
  };
  for (let tries = 1; ; tries++) {
    if (!(await chrome.tabs.get(tabId)).active) throw new Refusal("another tab is in front of it");
    chrome.tabs.onActivated.addListener(noted);
    try {
      switched = false;
      const picture = await chrome.tabs.captureVisibleTab(windowId, { format: "png" });
      const tab = await chrome.tabs.get(tabId);
      if (switched || !tab.active || tab.windowId !== windowId) throw new Refusal("another tab came in front of it");
      return picture;
    } catch (error) {
      const why = String(error.message);
      if (ACCESS.test(why)) throw new Refusal(NO_PICTURE);
      if (!QUOTA.test(why) || tries === TRIES) throw error;
    } finally {
      chrome.tabs.onActivated.removeListener(noted);
    }
    await new Promise((resolve) => setTimeout(resolve, QUOTA_MS));
  }
}
var NO_PICTURE = "without the debugger permission the browser gives a picture only of a tab that was granted by the eye's own button in it, or where every site is allowed in the eye's screen";
function place({ clip }, { pageX, pageY, width, height, pinched }, bitmap) {
  const factor = bitmap.width / width;
  if (pinched !== 1 || Math.abs(bitmap.height / height / factor - 1) > STRETCHED_MAX)
    throw new Refusal("the page is zoomed in, so that what is secret in it cannot be found in a picture");
  const [x, y] = [clip.x - pageX, clip.y - pageY];
  const within = x >= -ROUNDED_PX && y >= -ROUNDED_PX && x + clip.width <= width + ROUNDED_PX && y + clip.height <= height + ROUNDED_PX;
  if (!within)
    throw new Refusal(
      "without the debugger permission a picture shows what is in view: scroll there first (eye scroll)"
    );
  return [x * factor, y * factor, clip.width * factor, clip.height * factor];
}
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

// src/way.ts
var CANCELED = "canceled_by_user";
var CLOSED = "target_closed";
var NO_ACCESS = "no_access";

// src/scripted.ts
var NAMES = "eye.names";
var RUN = "run";
var LETTERS2 = 36;
var TAB_DIGITS = 6;
var RUN_DIGITS = 6;
var Scripted = class {
  constructor(listener) {
    this.listener = listener;
    chrome.runtime.onConnect.addListener((port) => this.#connected(port));
    chrome.tabs.onUpdated.addListener((tabId) => void this.#put(tabId));
    chrome.tabs.onRemoved.addListener((tabId) => this.#gone(tabId, CLOSED));
    chrome.permissions.onRemoved.addListener(() => {
      for (const tabId of this.#tabs.keys()) void inPage(tabId, () => 0).catch(() => this.#gone(tabId, NO_ACCESS));
    });
  }
  listener;
  scripted = true;
  #tabs = /* @__PURE__ */ new Map();
  #turns = /* @__PURE__ */ new Map();
  #contexts = 0;
  #run;
  async attach(tabId, may) {
    const [found] = await inPage(tabId, () => location.origin);
    const number = tabId.toString(LETTERS2).padStart(TAB_DIGITS, "0");
    this.#run ??= run();
    const target = `${number}${await this.#run}`;
    this.#tabs.set(tabId, { target, may, site: String(found?.result) });
    return target;
  }
  async detach(tabId) {
    this.#tabs.get(tabId)?.joined?.port.disconnect();
    this.#tabs.delete(tabId);
  }
  async send({ tabId = -1 }, method, params) {
    const tab = this.#tabs.get(tabId);
    if (tab === void 0) throw new Refusal("the tab is not granted");
    switch (method) {
      case "Eye.join":
        tab.names = params;
        await this.#put(tabId);
        return {};
      case "Eye.tell":
        if (tab.joined === void 0 || tab.joined.context !== params.contextId)
          throw new Refusal("the document is gone");
        tell(tab.joined.port, String(params.message));
        return {};
      case "Eye.hidden":
        return { places: await beside2(place2(tab, tabId), (bare) => eyeRelay.hidden(bare), params.unmasked === true) };
      case "Page.getLayoutMetrics":
        return layout(await beside2(place2(tab, tabId), () => eyeRelay.metrics()));
      case "Page.captureScreenshot": {
        const at = place2(tab, tabId);
        return capture(tabId, params, () => beside2(at, () => eyeRelay.shown()));
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
  mark(tabId, marked) {
    const port = this.#tabs.get(tabId)?.joined?.port;
    if (port !== void 0) tell(port, marked);
  }
  /** Injects the client into the tab's document unless it is there already. One injection after the other per tab. */
  #put(tabId) {
    const before = this.#turns.get(tabId) ?? Promise.resolve();
    const turn = before.then(() => this.#putNow(tabId)).catch(() => this.#refused(tabId));
    this.#turns.set(tabId, turn);
    void turn.then(() => this.#turns.get(tabId) === turn && this.#turns.delete(tabId));
    return turn;
  }
  async #putNow(tabId) {
    const tab = this.#tabs.get(tabId);
    if (tab?.names === void 0) return;
    const [found] = await inPage(tabId, () => [location.origin, origin]);
    if (found === void 0 || tab.put?.document === found.documentId) return;
    const [site2 = "", own = ""] = found.result;
    if (!tab.may(own)) return;
    tab.site = site2;
    const document2 = found.documentId;
    const [port, toPage, fromPage] = [word(), word(), word()];
    tab.put = { document: document2, port };
    const target = { tabId, documentIds: [document2] };
    const at = { target, injectImmediately: true };
    const events = { toPage, fromPage };
    await chrome.scripting.executeScript({ ...at, files: ["relay.js"] });
    const join = (name, both) => eyeRelay.join(name, both);
    await chrome.scripting.executeScript({ ...at, func: join, args: [port, events] });
    const names = { ...tab.names, files: false, hands: false };
    await chrome.scripting.executeScript({ ...at, world: "MAIN", func: lend, args: [NAMES, names, events] });
    await chrome.scripting.executeScript({ ...at, world: "MAIN", files: ["page.js"] });
  }
  /** The browser refused to run a script: the tab shows another site, or an error page. */
  async #refused(tabId) {
    const tab = this.#tabs.get(tabId);
    if (tab === void 0) return;
    delete tab.put;
    const url = (await chrome.tabs.get(tabId).catch(() => void 0))?.url;
    if (url === void 0 || !URL.canParse(url) || new URL(url).origin === tab.site) return;
    this.#gone(tabId, NO_ACCESS);
  }
  #gone(tabId, why) {
    const tab = this.#tabs.get(tabId);
    if (tab === void 0) return;
    tab.joined?.port.disconnect();
    this.#tabs.delete(tabId);
    this.listener.detached(tabId, why);
  }
  /** A relay connected. The document's origin and URL come from the browser. */
  #connected(port) {
    const { tab: at, documentId: id = "", origin: origin2 = "", url = "" } = port.sender ?? {};
    const tabId = at?.id ?? -1;
    const tab = this.#tabs.get(tabId);
    if (tab?.put?.port !== port.name || tab.put.document !== id) {
      port.disconnect();
      return;
    }
    const context = ++this.#contexts;
    const joined = { id, context, port };
    tab.joined = joined;
    const happened = (method, params) => this.listener.happened({ tabId }, method, params);
    happened("Page.frameNavigated", { frame: { id: tab.target, url } });
    const auxData = { isDefault: true, frameId: tab.target };
    const known = { id: context, origin: origin2 === "null" ? "" : origin2, uniqueId: id, auxData };
    happened("Runtime.executionContextCreated", { context: known });
    const { binding: name = "" } = tab.names ?? {};
    port.onMessage.addListener((payload) => {
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
};
function lend(key, names, { toPage, fromPage }) {
  const global = globalThis;
  const send = (detail) => document.dispatchEvent(new CustomEvent(fromPage, { detail }));
  document.addEventListener(toPage, (event2) => {
    const receive = global[names.receive];
    receive?.(event2.detail);
  });
  global[names.binding] = send;
  global[Symbol.for(key)] = names;
}
function place2({ joined }, tabId) {
  if (joined === void 0) throw new Refusal("the document is gone");
  return { tabId, documentIds: [joined.id] };
}
async function beside2(target, func, ...args) {
  const [found] = await chrome.scripting.executeScript({ target, func, args, injectImmediately: true });
  if (typeof found?.result !== "object" || found.result === null) throw new Refusal("the page cannot be measured");
  return found.result;
}
function inPage(tabId, func) {
  return chrome.scripting.executeScript({ target: { tabId }, func, injectImmediately: true });
}
function tell(port, message) {
  try {
    port.postMessage(message);
  } catch {
  }
}
function layout({ pageX, pageY, clientWidth, clientHeight, contentWidth, contentHeight, density }) {
  return {
    cssVisualViewport: { pageX, pageY, clientWidth, clientHeight },
    cssLayoutViewport: { pageX, pageY, clientWidth },
    layoutViewport: { clientWidth: clientWidth * density },
    cssContentSize: { x: 0, y: 0, width: contentWidth, height: contentHeight }
  };
}
function word() {
  return crypto.randomUUID();
}
async function run() {
  const { [RUN]: kept } = await chrome.storage.session.get(RUN);
  if (typeof kept === "string") return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(RUN_DIGITS));
  const made = Array.from(bytes, (byte) => (byte % LETTERS2).toString(LETTERS2)).join("");
  await chrome.storage.session.set({ [RUN]: made });
  return made;
}

// src/tabs.ts
var Tabs = class {
  constructor(send, by) {
    this.send = send;
    this.#way = by({
      happened: (source, method, params) => this.#happened(source, method, params),
      detached: (tabId, why) => void this.#detached(tabId, why)
    });
    chrome.tabs.onUpdated.addListener((tabId, change2) => {
      const attached = this.#byTab.get(tabId);
      if (attached !== void 0) {
        if (change2.url !== void 0) attached.url = change2.url;
        attached.sign.show();
      }
      if (change2.url !== void 0 || change2.status !== void 0) void this.refresh(tabId);
    });
    chrome.tabs.onAttached.addListener((tabId, { newWindowId }) => this.#moved(tabId, newWindowId));
    chrome.tabs.onRemoved.addListener((tabId) => void setTab(tabId, void 0));
    chrome.tabs.onReplaced.addListener((_, removed) => void setTab(removed, void 0));
  }
  send;
  #byTab = /* @__PURE__ */ new Map();
  #bySession = /* @__PURE__ */ new Map();
  #turns = /* @__PURE__ */ new Map();
  #count = 0;
  /** Whether a hub is connected. */
  #wanted = false;
  #way;
  /** A hub has connected: detaches and attaches every tab, so that it gets clean sessions. */
  async begin() {
    this.#wanted = true;
    await this.refreshAll(true);
  }
  /** The hub has disconnected. Tabs stay attached for a while, because it may reconnect at once. */
  leave() {
    this.#wanted = false;
  }
  /** No hub has reconnected: detaches the tabs. */
  async letGo() {
    if (!this.#wanted) await this.refreshAll();
  }
  /** Grants a tab. Rejects if the browser gives no access to it. */
  async grant(tabId) {
    await setTab(tabId, "granted");
    await this.refresh(tabId);
    if (!this.#wanted || this.#byTab.has(tabId)) return;
    await setTab(tabId, void 0);
    throw new Error("The browser gives no access to this tab. Open this screen by the eye's button in the tab itself.");
  }
  async refreshAll(anew = false) {
    const tabs2 = await chrome.tabs.query({});
    await Promise.all(tabs2.map(({ id }) => id === void 0 ? void 0 : this.refresh(id, anew)));
  }
  /** Attaches or detaches a tab according to its grants. One change of a tab after the other. */
  refresh(tabId, anew = false) {
    const before = this.#turns.get(tabId) ?? Promise.resolve();
    const turn = before.then(() => this.#refresh(tabId, anew)).catch((error) => console.warn("eye:", error));
    this.#turns.set(tabId, turn);
    void turn.then(() => this.#turns.get(tabId) === turn && this.#turns.delete(tabId));
    return turn;
  }
  /** Executes a command of the hub and answers it. */
  async take({ id, method, params = {}, sessionId }) {
    const answer2 = (more) => this.send({ id, ...sessionId === void 0 ? {} : { sessionId }, ...more });
    try {
      const attached = sessionId === void 0 ? void 0 : this.#bySession.get(sessionId);
      if (sessionId !== void 0 && attached === void 0) throw new Refusal("the session is gone");
      if (attached === void 0) return answer2({ result: await this.#ofBrowser(method, params) });
      const passed = command(method, params, attached);
      attached.sign.begins(method, params);
      try {
        const result = await this.#way.send(attached.debuggee, method, passed);
        if (attached.sites !== void 0 && isAboutTab(method)) await this.#isStillThere(attached);
        answer2({ result: answer(method, result, attached) });
      } finally {
        attached.sign.ends();
      }
    } catch (error) {
      answer2({ error: reason(error) });
    }
  }
  /** The tab may have left the granted sites during the command. */
  async #isStillThere({ tabId, may }) {
    const { url } = await chrome.tabs.get(tabId);
    if (!may(originOf(url) ?? "")) throw new Refusal(ELSEWHERE);
  }
  async #ofBrowser(method, params) {
    switch (method) {
      case "Browser.getVersion":
        return { product: product() };
      case "Target.setAutoAttach":
        await this.begin();
        return {};
      case "Target.closeTarget": {
        const attached = [...this.#byTab.values()].find(({ target }) => target === params.targetId);
        if (attached === void 0) throw new Refusal("this tab is not granted");
        await chrome.tabs.remove(attached.tabId);
        return {};
      }
      default:
        throw new Refusal(`${method} is not allowed`);
    }
  }
  async #refresh(tabId, anew) {
    const tab = await chrome.tabs.get(tabId).catch(() => void 0);
    const known = this.#byTab.get(tabId);
    const all = await grants();
    const by = this.#wanted && tab?.discarded === false ? how(all, tabId, tab.url) : void 0;
    const sites = by === "site" ? all.sites : void 0;
    const same = known?.by === by && String(known?.sites) === String(sites);
    if (same && !(anew && known !== void 0)) return;
    if (known !== void 0) await this.#detach(known);
    if (by !== void 0 && tab !== void 0) await this.#attach(tab, tabId, sites);
  }
  async #attach(tab, tabId, sites) {
    const may = (origin2) => sites === void 0 || sites.includes(origin2);
    const target = await this.#way.attach(tabId, may);
    if (target === void 0) return;
    const attached = {
      tabId,
      session: `${String(tabId)}.${String(++this.#count)}`,
      debuggee: { tabId },
      frames: /* @__PURE__ */ new Set(),
      by: sites === void 0 ? "tab" : "site",
      target,
      url: tab.url ?? "",
      sites,
      may,
      contexts: /* @__PURE__ */ new Map(),
      requests: /* @__PURE__ */ new Set(),
      sign: new Sign(tabId, (marked) => this.#way.mark(tabId, marked)),
      scripted: this.#way.scripted
    };
    this.#byTab.set(tabId, attached);
    this.#bySession.set(attached.session, attached);
    const page = { type: "page", title: tab.title ?? "", url: attached.url, windowId: tab.windowId };
    const info = { targetId: target, ...page, attached: true, scripted: this.#way.scripted };
    const params = { sessionId: attached.session, targetInfo: info, waitingForDebugger: false };
    this.send({ method: "Target.attachedToTarget", params });
  }
  /** The person moved a tab to another window. */
  #moved(tabId, windowId) {
    const attached = this.#byTab.get(tabId);
    if (attached !== void 0)
      this.send({ method: "Browser.tabMoved", params: { targetId: attached.target, windowId } });
  }
  async #detach(attached) {
    this.#forget(attached);
    await this.#way.detach(attached.tabId);
  }
  #forget(attached) {
    attached.sign.remove();
    this.#byTab.delete(attached.tabId);
    this.#drop(attached);
    const params = { sessionId: attached.session, targetId: attached.target };
    this.send({ method: "Target.detachedFromTarget", params });
  }
  async #detached(tabId, why) {
    if (tabId === void 0) return;
    const attached = this.#byTab.get(tabId);
    if (attached !== void 0) this.#forget(attached);
    if (why === NO_ACCESS && attached?.by === "tab") await setTab(tabId, void 0);
    if (why === CANCELED) await this.stopAll();
  }
  /** Ends everything that agents do in this tab. */
  async stop(tabId) {
    const attached = this.#byTab.get(tabId);
    await setTab(tabId, attached?.by === "site" ? "stopped" : void 0);
    await this.refresh(tabId);
  }
  async stopAll() {
    const bySite = [...this.#byTab.values()].filter(({ by }) => by === "site");
    await forgetTabs(bySite.map(({ tabId }) => tabId));
    await this.refreshAll();
  }
  /** Removes a session and those of the frames in it. */
  #drop(attached) {
    this.#bySession.delete(attached.session);
    for (const frame of attached.frames) this.#drop(frame);
  }
  /** A frame of another site got a session, or lost it. */
  #framed(around, method, params) {
    const { sessionId, targetInfo } = params;
    if (method === "Target.detachedFromTarget") {
      const frame2 = this.#bySession.get(sessionId);
      if (frame2 === void 0 || !around.frames.delete(frame2)) return;
      this.#drop(frame2);
      this.send({ method, params: { sessionId, targetId: frame2.target }, sessionId: around.session });
      return;
    }
    const info = inner(targetInfo, around);
    const frame = {
      ...around,
      session: sessionId,
      debuggee: { tabId: around.tabId, sessionId },
      frames: /* @__PURE__ */ new Set(),
      target: String(targetInfo.targetId),
      inner: true,
      url: String(info.url),
      contexts: /* @__PURE__ */ new Map(),
      requests: /* @__PURE__ */ new Set()
    };
    around.frames.add(frame);
    this.#bySession.set(sessionId, frame);
    const details = { sessionId, targetInfo: info, waitingForDebugger: false };
    this.send({ method, params: details, sessionId: around.session });
  }
  #happened(source, method, params) {
    const tab = source.tabId === void 0 ? void 0 : this.#byTab.get(source.tabId);
    const attached = tab === void 0 || source.sessionId === void 0 ? tab : this.#bySession.get(source.sessionId);
    if (attached === void 0) return;
    if (method === "Target.attachedToTarget" || method === "Target.detachedFromTarget") {
      this.#framed(attached, method, params);
      return;
    }
    if (method === "Runtime.executionContextCreated" && !this.#created(attached, params)) return;
    if (method === "Page.frameNavigated") {
      const { frame } = params;
      if (frame.id === attached.target) attached.url = frame.url;
    }
    const passed = event(method, params, attached);
    if (method === "Runtime.executionContextDestroyed") {
      attached.contexts.delete(params.executionContextId);
    } else if (method === "Runtime.executionContextsCleared") attached.contexts.clear();
    if (passed !== void 0) this.send({ method, params: passed, sessionId: attached.session });
  }
  /**
   * Records a context. `false`: the tab shows a site that is not granted, and is detached before any of its events are
   * forwarded.
   */
  #created(attached, params) {
    const { context } = params;
    const beside3 = context.name === WORLD && !context.origin.startsWith("chrome-extension:");
    const own = context.auxData?.isDefault === true || beside3;
    const frame = context.auxData?.frameId ?? "";
    attached.contexts.set(context.id, { origin: context.origin, own, frame });
    if (attached.inner === true || !own || context.auxData?.frameId !== attached.target || attached.may(context.origin))
      return true;
    void this.#detach(attached);
    return false;
  }
};
function product() {
  return /Chrome\/[\d.]+/.exec(navigator.userAgent)?.[0] ?? "Chrome";
}
function reason(error) {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) return { code: -32006, message: `refused by the extension: ${text}` };
  try {
    const { code, message } = JSON.parse(text);
    return { code, message };
  } catch {
    return { code: -32e3, message: text };
  }
}

// src/worker.ts
var WANTED_SITE = "asked";
var WAKE = "wake";
var WAKE_MINUTES = 0.5;
var link = new PairedConnection(
  (message) => void tabs.take(message),
  (connected) => !connected && tabs.leave()
);
var scripted = !chrome.runtime.getManifest().permissions.includes("debugger");
var tabs = new Tabs(
  (message) => link.send(message),
  (listener) => scripted ? new Scripted(listener) : new Debugged(listener)
);
chrome.alarms.onAlarm.addListener(() => void wake());
chrome.runtime.onInstalled.addListener(() => void wake());
chrome.runtime.onStartup.addListener(() => void wake());
chrome.action.onClicked.addListener(({ id }) => id !== void 0 && void tabs.stop(id));
chrome.runtime.onMessage.addListener((message, sender, answer2) => {
  if (sender.id !== chrome.runtime.id) return false;
  answerTo(message).then(answer2, (error) => answer2({ error: String(error.message) }));
  return true;
});
if (scripted) {
  chrome.permissions.onAdded.addListener(() => void allowed());
  chrome.permissions.onRemoved.addListener(() => void takenBack());
}
void chrome.alarms.create(WAKE, { periodInMinutes: WAKE_MINUTES });
void link.connect();
async function wake() {
  await link.connect();
  if (!(await link.state()).connected) await tabs.letGo();
}
async function answerTo(ask) {
  switch (ask.ask) {
    case "state":
      return shown(ask.tabId);
    case "pair":
      await link.pair(ask.code);
      return true;
    case "unpair":
      await link.unpair();
      await tabs.letGo();
      return true;
    case "tab":
      if (ask.granted) await tabs.grant(ask.tabId);
      else await tabs.stop(ask.tabId);
      return true;
    case "site":
      await site(ask.origin, ask.granted);
      return true;
    case "stop":
      await tabs.stopAll();
      return true;
  }
}
async function mayRun(origin2) {
  return !scripted || chrome.permissions.contains({ origins: patterns(origin2) });
}
async function site(origin2, granted2) {
  await chrome.storage.session.remove(WANTED_SITE);
  if (granted2 && !await mayRun(origin2)) {
    await chrome.storage.session.set({ [WANTED_SITE]: origin2 });
    return allowed();
  }
  await setSite(origin2, granted2);
  if (scripted && !granted2) await chrome.permissions.remove({ origins: patterns(origin2) }).catch(() => false);
  await tabs.refreshAll();
}
async function allowed() {
  const { [WANTED_SITE]: wanted } = await chrome.storage.session.get(WANTED_SITE);
  if (typeof wanted === "string" && await mayRun(wanted)) await site(wanted, true);
}
async function takenBack() {
  for (const origin2 of (await grants()).sites) if (!await mayRun(origin2)) await setSite(origin2, false);
  await tabs.refreshAll();
}
async function shown(tabId) {
  const [state, all, open] = await Promise.all([link.state(), grants(), chrome.tabs.query({})]);
  const rows = open.flatMap(({ id, title = "", url }) => {
    const origin3 = originOf(url);
    return id !== void 0 && origin3 !== void 0 && how(all, id, url) !== void 0 ? [{ id, title, origin: origin3 }] : [];
  });
  const tab = open.find(({ id }) => id === tabId);
  const origin2 = originOf(tab?.url);
  const by = how(all, tabId, tab?.url);
  const mine = { id: tabId, title: tab?.title ?? "", ...origin2 && { origin: origin2 }, ...by && { by } };
  return { ...state, ...tab === void 0 ? {} : { tab: mine }, tabs: rows, sites: all.sites };
}
