// What a malicious or curious hub cannot do in a granted tab, and does not receive.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { answer, command, event, type Granted, inner, type Params, Refusal, TELL } from "../src/guard.js";

const SITE = "https://shop.example";
const contexts = new Map([
  [1, { origin: SITE, own: true, frame: "T" }],
  [2, { origin: SITE, own: false, frame: "T" }],
  [3, { origin: "https://bank.example", own: true, frame: "F" }],
]);
const bySite: Granted = {
  target: "T",
  url: `${SITE}/cart?x#y`,
  sites: [SITE],
  may: (origin) => origin === SITE,
  contexts,
  requests: new Set(),
};
const byTab: Granted = { ...bySite, sites: undefined, may: () => true };
const scripted: Granted = { ...bySite, scripted: true };

function refused(method: string, params: Params = {}, tab: Granted = byTab): void {
  assert.throws(() => command(method, params, tab), Refusal, `${method} ${JSON.stringify(params)}`);
}

test("commands that no verb needs are refused", () => {
  const others = [
    ...[
      "Page.navigateToHistoryEntry",
      "Page.setBypassCSP",
      "Page.setDownloadBehavior",
      "Page.getResourceContent",
      "Page.close",
    ],
    ...["Target.getTargets", "Target.attachToTarget", "Target.createTarget", "Target.setAutoAttach"],
    ...[
      "Browser.close",
      "Browser.grantPermissions",
      "SystemInfo.getInfo",
      "Storage.getCookies",
      "Storage.clearDataForOrigin",
    ],
    ...["Network.getAllCookies", "Network.setCookies", "Network.loadNetworkResource", "Network.setExtraHTTPHeaders"],
    ...["Fetch.enable", "DOMStorage.getDOMStorageItems", "IndexedDB.requestData", "CacheStorage.requestCachedResponse"],
    ...["DOM.setFileInputFiles", "DOM.getFileInfo", "DOM.getDocument", "IO.read", "Debugger.enable"],
    ...["Runtime.callFunctionOn", "Runtime.getProperties", "Runtime.compileScript", "WebAuthn.enable"],
    ...[
      "Emulation.setUserAgentOverride",
      "Security.setIgnoreCertificateErrors",
      "constructor",
      "toString",
      "__proto__",
      "",
    ],
  ];
  for (const method of others) refused(method);
});

test("code runs in the page's own worlds of granted documents only", () => {
  const evaluate = (contextId: unknown, tab: Granted): Params =>
    command("Runtime.evaluate", { expression: "document.cookie", contextId }, tab);
  assert.deepEqual(evaluate(1, bySite), { expression: "document.cookie", contextId: 1 });
  assert.deepEqual(evaluate(3, byTab), { expression: "document.cookie", contextId: 3 });
  for (const context of [2, 3, 4, undefined, "2"])
    assert.throws(() => evaluate(context, bySite), Refusal, String(context));
  assert.throws(() => evaluate(2, byTab), Refusal, "a world of another extension");
  refused("Runtime.evaluate", { expression: "document.cookie" });
  assert.deepEqual(command("Runtime.evaluate", { expression: "0" }, bySite), { expression: "0" });
  for (const more of [{ uniqueContextId: "a" }, { includeCommandLineAPI: true }, { serializationOptions: {} }]) {
    refused("Runtime.evaluate", { expression: "0", contextId: 1, ...more });
  }
});

test("what runs before a page's scripts stays within granted sites", () => {
  const method = "Page.addScriptToEvaluateOnNewDocument";
  const source = `} evil(); if (true) { "</script>\\u2028"`;
  const { source: passed } = command(method, { source, runImmediately: true }, bySite);
  const ran: string[] = [];
  const run = (origin: string): void => {
    const eval_ = (text: string): void => void ran.push(`${origin} ${text}`);
    new Function("location", "eval", String(passed))({ origin }, eval_);
  };
  run(SITE);
  run("https://bank.example");
  run("null");
  assert.deepEqual(ran, [`${SITE} ${source}`]);
  assert.equal(command(method, { source }, byTab).source, source, "a tab is granted wherever it goes");
  refused(method, { source, worldName: "other" });
  refused(method, {});
});

test("a tab is sent to pages of the web only, and stays within granted sites", () => {
  for (const url of [
    "file:///etc/passwd",
    "javascript:alert(1)",
    "chrome://settings",
    "data:text/html,a",
    "",
    undefined,
  ]) {
    refused("Page.navigate", { url });
  }
  assert.equal(command("Page.navigate", { url: "https://bank.example/" }, byTab).url, "https://bank.example/");
  assert.equal(command("Page.navigate", { url: `${SITE}/b` }, bySite).url, `${SITE}/b`);
  refused("Page.navigate", { url: "https://bank.example/" }, bySite);
});

test("the only world beside the page's own is eye's, in granted documents", () => {
  const world = { frameId: "T", worldName: "eye" };
  assert.deepEqual(command("Page.createIsolatedWorld", world, bySite), world);
  assert.deepEqual(command("Page.createIsolatedWorld", { ...world, frameId: "F" }, byTab), { ...world, frameId: "F" });
  refused("Page.createIsolatedWorld", { ...world, frameId: "F" }, bySite);
  for (const more of [{ frameId: "G" }, { worldName: "Password Manager" }, { grantUniveralAccess: true }]) {
    refused("Page.createIsolatedWorld", { ...world, ...more });
  }
});

test("the names of functions are eye's own", () => {
  assert.deepEqual(command("Runtime.addBinding", { name: "eye_ab12" }, byTab), { name: "eye_ab12" });
  for (const name of ["fetch", "eye_", "eye_A", "eye_a-b", undefined]) refused("Runtime.addBinding", { name });
  refused("Runtime.addBinding", { name: "eye_a", executionContextId: 2 });
});

test("cookies are those of the site that the tab shows", () => {
  assert.deepEqual(command("Network.getCookies", {}, byTab), { urls: [byTab.url] });
  refused("Network.getCookies", { urls: ["https://bank.example"] });
  const set = (more: Params): Params => command("Network.setCookie", { name: "a", value: "b", ...more }, byTab);
  assert.equal(set({ url: `${SITE}/` }).name, "a");
  for (const more of [{ url: "https://bank.example" }, { url: "https://shop.example.evil.example" }, {}]) {
    assert.throws(() => set(more), Refusal, JSON.stringify(more));
  }
  for (const domain of ["shop.example", ".shop.example", "example"]) {
    assert.equal(command("Network.deleteCookies", { name: "a", domain }, byTab).domain, domain);
  }
  for (const domain of ["bank.example", "hop.example", "", ".", "shop.example.evil"]) {
    refused("Network.deleteCookies", { name: "a", domain });
  }
});

test("no file of the machine is given to a page", () => {
  const at = { type: "drop", x: 1, y: 2 };
  refused("Input.dispatchDragEvent", { ...at, data: { items: [], files: ["/etc/passwd"], dragOperationsMask: 1 } });
  const plain = { ...at, data: { items: [], dragOperationsMask: 1 } };
  assert.deepEqual(command("Input.dispatchDragEvent", plain, byTab), plain);
});

test("of a tab's history only where it is is told", () => {
  const entries = [{ url: "https://private.example" }, { url: bySite.url }, { url: "https://later.example" }];
  const passed = answer("Page.getNavigationHistory", { currentIndex: 1, entries }, byTab);
  assert.deepEqual(passed, { currentIndex: 0, entries: [{ url: bySite.url }] });
});

test("frames of other sites get sessions that never wait, and of what is not granted not even an address is told", () => {
  const params = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: "page" }] };
  assert.deepEqual(command("Target.setAutoAttach", params, byTab), {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: true,
    filter: [{ type: "iframe", exclude: false }],
  });
  refused("Target.setAutoAttach", { ...params, flatten: false });
  const found = { targetId: "F", type: "iframe", title: "Your account", url: "https://bank.example/login?code=7" };
  assert.equal(inner(found, byTab).url, found.url);
  assert.deepEqual([inner(found, bySite).url, inner(found, bySite).title], ["", ""]);
  const frame = { id: "F", url: found.url, securityOrigin: "https://bank.example", name: "bank" };
  const tree = { frame: { id: "T", url: bySite.url, securityOrigin: SITE }, childFrames: [{ frame }] };
  const hidden = { frame: { id: "F", url: "", securityOrigin: "" }, childFrames: [] };
  const passed = answer("Page.getFrameTree", { frameTree: tree }, bySite);
  assert.deepEqual(passed, { frameTree: { ...tree, childFrames: [hidden] } });
  // The URL of such a frame is hidden: commands in it name a granted document.
  const framed: Granted = { ...bySite, target: "F", inner: true, url: "", contexts: new Map() };
  assert.doesNotThrow(() => command("Page.enable", {}, framed));
  for (const method of ["Page.captureScreenshot", "Page.printToPDF", "Network.getCookies", "Page.reload"]) {
    refused(method, {}, framed);
  }
  refused("Runtime.evaluate", { expression: "document.cookie", contextId: 1 }, framed);
});

test("the only function that runs on an element tells eye's client which frame it shows", () => {
  const rust = readFileSync(join(import.meta.dirname, "../../../..", "crates/eye-browser/src/drive/outer.rs"), "utf8");
  assert.ok(rust.includes(TELL), "it is the driver's");
  const call = (functionDeclaration: string, ...values: string[]): Params => ({
    objectId: "1",
    functionDeclaration,
    arguments: values.map((value) => ({ value })),
    silent: true,
  });
  const params = call(TELL, "eye_ab12", "f2");
  assert.deepEqual(command("Runtime.callFunctionOn", params, bySite), params);
  refused("Runtime.callFunctionOn", call("function () { return document.cookie }", "eye_ab12", "f2"));
  refused("Runtime.callFunctionOn", call(TELL, "fetch", "f2"));
  refused("Runtime.callFunctionOn", call(TELL, "eye_ab12", "f2", "more"));
  refused("Runtime.callFunctionOn", { ...params, returnByValue: true });
  assert.deepEqual(answer("Runtime.callFunctionOn", { result: { value: "x" } }, byTab), {});
  const node = { object: { objectId: "1", description: "input#secret" } };
  assert.deepEqual(answer("DOM.resolveNode", node, byTab), { object: { objectId: "1" } });
});

test("events of what is not granted are not told, nor logins in headers", () => {
  const called = { name: "eye_ab", payload: "x", executionContextId: 1 };
  assert.deepEqual(event("Runtime.bindingCalled", called, bySite), called);
  assert.equal(event("Runtime.bindingCalled", { ...called, executionContextId: 2 }, bySite), undefined);
  assert.equal(event("Runtime.bindingCalled", { ...called, executionContextId: 3 }, bySite), undefined);
  assert.equal(event("Runtime.bindingCalled", { ...called, name: "other" }, bySite), undefined);
  for (const id of [2, 3]) {
    assert.equal(event("Runtime.executionContextCreated", { context: { id } }, bySite), undefined);
  }
  for (const method of [
    ...["Runtime.consoleAPICalled", "Network.requestWillBeSentExtraInfo", "Network.responseReceivedExtraInfo"],
    ...["Network.webSocketFrameReceived", "Target.attachedToTarget", "Debugger.scriptParsed", "Page.downloadWillBegin"],
  ]) {
    assert.equal(event(method, {}, byTab), undefined, method);
  }
  const sent = {
    requestId: "r",
    request: { url: SITE, headers: { Cookie: "a=b", accept: "*/*", Authorization: "x" } },
    redirectResponse: { headers: { "Set-Cookie": "c=d", etag: "e" }, headersText: "Set-Cookie: c=d" },
  };
  assert.deepEqual(event("Network.requestWillBeSent", sent, byTab), {
    requestId: "r",
    request: { url: SITE, headers: { accept: "*/*" } },
    redirectResponse: { headers: { etag: "e" } },
  });
});

test("of a tab that a site grants nothing is done or told while it is elsewhere", () => {
  const left: Granted = { ...bySite, url: "https://bank.example/" };
  for (const method of ["Page.captureScreenshot", "Page.printToPDF", "Network.getCookies", "Input.insertText"]) {
    refused(method, {}, left);
    assert.doesNotThrow(() => command(method, {}, bySite), method);
    assert.doesNotThrow(() => command(method, {}, { ...left, sites: undefined }), method);
  }
  const dialog = { message: "Your code is 123", url: left.url };
  assert.equal(event("Page.javascriptDialogOpening", dialog, left), undefined);
  const navigated = (id: string, url: string): Params => ({ frame: { id, url } });
  assert.equal(event("Page.frameNavigated", navigated("T", left.url), bySite), undefined);
  assert.equal(event("Page.frameNavigated", navigated("F", SITE), bySite), undefined, "of a frame in it");
  assert.notEqual(event("Page.frameNavigated", navigated("T", `${SITE}/b`), bySite), undefined);
  const begun = { frameId: "T", url: left.url, loaderId: "L", navigationType: "differentDocument" };
  for (const method of ["Page.frameStartedNavigating", "Page.navigatedWithinDocument"]) {
    assert.deepEqual(event(method, begun, bySite), { frameId: "T", navigationType: "differentDocument" }, "no address");
    assert.equal(event(method, begun, left), undefined, method);
  }
});

test("a request is told, with its body, only where a granted document made it", () => {
  const tab: Granted = { ...bySite, requests: new Set() };
  const sent = (requestId: string, documentURL: string): Params | undefined =>
    event("Network.requestWillBeSent", { requestId, documentURL, request: { url: "https://cdn.example/a" } }, tab);
  const body = (requestId: string): Params => command("Network.getResponseBody", { requestId }, tab);
  const answered = (requestId: string): Params | undefined => event("Network.responseReceived", { requestId }, tab);
  assert.notEqual(sent("1", `${SITE}/cart`), undefined);
  assert.deepEqual([body("1").requestId, answered("1")], ["1", { requestId: "1" }]);
  assert.equal(sent("2", "https://bank.example/login?code=7"), undefined);
  assert.equal(answered("2"), undefined);
  assert.throws(() => body("2"), Refusal);
  // A redirect to another site drops the request.
  assert.equal(sent("1", "https://bank.example/login?code=7"), undefined);
  assert.throws(() => body("1"), Refusal);
  for (let at = 0; at < 3_000; at++) sent(`many${String(at)}`, SITE);
  assert.ok(tab.requests.size <= 2_000);
});

/**
 * Commands that the driver uses only in eye's own browser: files of the machine, the browser itself, other targets, the
 * tab's history.
 */
const NOT_HERE: ReadonlySet<string> = new Set([
  ...["Browser.close", "Browser.setDownloadBehavior", "Browser.setPermission"],
  ...["DOM.setFileInputFiles", "Page.setInterceptFileChooserDialog"],
  ...["Target.createTarget", "Target.getTargets"],
  ...["Network.setCookies", "Page.navigateToHistoryEntry", "Runtime.removeBinding"],
]);

/** Commands of the browser, which `tabs.ts` handles, and events. */
const NO_COMMANDS: ReadonlySet<string> = new Set([
  ...["Browser.getVersion", "Target.closeTarget", "Target.setAutoAttach"],
  ...["Browser.downloadProgress", "Browser.downloadWillBegin", "Browser.tabMoved"],
  ...["Page.fileChooserOpened", "Page.frameAttached", "Page.frameNavigated"],
  ...["Page.frameDetached", "Page.frameStartedNavigating", "Page.navigatedWithinDocument"],
  ...["Page.frameStartedLoading", "Page.frameStoppedLoading", "Page.javascriptDialogOpening", "Runtime.bindingCalled"],
  ...["Runtime.executionContextCreated", "Runtime.executionContextDestroyed", "Runtime.executionContextsCleared"],
  ...["Inspector.targetCrashed", "Inspector.targetReloadedAfterCrash"],
]);

test("every command of the driver and of the page client has a row, or is known not to be for a person's browser", () => {
  // From the folder into which the tests are bundled.
  const root = join(import.meta.dirname, "../../../..");
  const named = new Set<string>();
  for (const folder of ["crates/eye-browser/src/drive", "web/client/src"]) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.(?:rs|ts)$/.test(file)) continue;
      const text = readFileSync(join(root, folder, file), "utf8");
      for (const [, name = ""] of text.matchAll(/"((?:[A-Z][a-z]+|DOM)\.[a-z][A-Za-z]+)"/g)) named.add(name);
    }
  }
  assert.ok(named.has("Page.captureScreenshot") && named.has("Input.dispatchMouseEvent"), "the sources are read");
  const allowed = (method: string): boolean => {
    try {
      command(method, {}, { ...byTab, scripted: method.startsWith("Eye.") });
      return true;
    } catch (error) {
      return !(error as Error).message.endsWith(`${method} is not allowed`);
    }
  };
  const unknown = [...named].filter((name) => !allowed(name) && !NOT_HERE.has(name) && !NO_COMMANDS.has(name));
  assert.deepEqual(unknown, []);
  assert.deepEqual([...NOT_HERE].filter(allowed), []);
});

test("without the debugger a hub has a client to speak to and pictures, and nothing else", () => {
  const names = { session: "0a1b2c", binding: "eye_abc", receive: "eye_def" };
  assert.deepEqual(command("Eye.join", names, scripted), names);
  const message = { contextId: 1, message: "[]" };
  assert.deepEqual(command("Eye.tell", message, scripted), message);
  command("Eye.hidden", { unmasked: false }, scripted);
  command("Page.captureScreenshot", { format: "png" }, scripted);
  for (const other of ["Runtime.evaluate", "Input.insertText", "Network.getCookies", "Page.printToPDF", "Page.enable"])
    refused(other, {}, { ...byTab, scripted: true });
  refused("Eye.join", { ...names, binding: "alert" }, scripted);
  refused("Eye.join", { ...names, session: "../x" }, scripted);
  refused("Eye.join", { ...names, files: true }, scripted);
  refused("Eye.tell", { contextId: 3, message: "[]" }, scripted);
  refused("Eye.tell", { contextId: 9, message: "[]" }, scripted);
  refused("Eye.tell", { contextId: 1, message: {} }, scripted);
  refused("Page.navigate", { url: "https://bank.example/" }, scripted);
  refused("Page.captureScreenshot", { format: "png" }, { ...scripted, url: "https://bank.example/" });
  for (const method of ["Eye.join", "Eye.tell", "Eye.hidden"]) refused(method, message, byTab);
});
