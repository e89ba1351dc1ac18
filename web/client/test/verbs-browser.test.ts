// The verbs of the built client in a real browser against a scripted hub: dispatch, `wait`, `logs`, topics, mailbox and
// apps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BareChromium } from "../../harness/chromium.js";
import { type Connection, Hub, html, type Rpc } from "./hub.js";
import { answered, ask, begin, scene, TEST_MS_MAX } from "./scene.js";

scene("an unknown verb is -32601, and so is a method", async ({ page }) => {
  assert.deepEqual((await ask(page, "dance")).error, { code: -32601, message: "no method page/dance" });
  assert.equal((await ask(page, "toString")).error?.code, -32601);
});

scene(
  "wait gives the first truthy value, once a call, a mutation or nothing at all has made it so",
  async ({ page, tab }) => {
    assert.deepEqual(await ask(page, "wait", { expr: "({ a: 1 })" }), { value: { a: 1 } });
    const called = begin(page, "wait", { expr: "window.n > 1 && n" });
    assert.equal(await page.ask("n = 1"), "=1");
    assert.equal(await page.ask("n = 2"), "=2");
    assert.deepEqual(await answered(page, called), { value: 2 });
    const mutated = begin(page, "wait", { expr: "document.body.dataset.ready" });
    await tab.evaluate("document.body.dataset.ready = 'yes'");
    assert.deepEqual(await answered(page, mutated), { value: "yes" });
    const silent = begin(page, "wait", { expr: "window.later" });
    await tab.evaluate("window.later = 7");
    assert.deepEqual(await answered(page, silent), { value: 7 });
    assert.deepEqual(await ask(page, "wait", { expr: "await Promise.resolve('soon')" }), { value: "soon" });
  },
);

scene("wait ends at its time with the last value", async ({ page }) => {
  const { error } = await ask(page, "wait", { expr: "[].length", timeout: 150 });
  assert.deepEqual(error, { code: -32001, message: "not within 0.15 s: [].length", data: { value: 0 } });
  const threw = (await ask(page, "wait", { expr: "missing.x", timeout: 50 })).error;
  assert.equal(threw?.code, -32001);
  assert.match(threw.data?.hint ?? "", /^threw \["ReferenceError: missing/);
  const never = (await ask(page, "wait", { expr: "new Promise(() => {})", timeout: 50 })).error;
  assert.equal(never?.code, -32001);
});

scene("wait says at once what does not compile, and ends when it is cancelled", async ({ page }) => {
  const { error } = await ask(page, "wait", { expr: "a b" });
  assert.equal(error?.code, -32003);
  assert.match(error.message, /^SyntaxError/);
  const id = begin(page, "wait", { expr: "window.looks = (window.looks ?? 0) + 1, false" });
  await page.until(async () => Number((await page.ask("window.looks ?? 0")).slice(1)) > 0);
  page.send({ jsonrpc: "2.0", method: "call/cancel", params: { id } } as Rpc);
  const after = await page.ask("window.looks");
  await ask(page, "wait", { expr: "false", timeout: 250 });
  assert.ok(
    Number((await page.ask("looks")).slice(1)) <= Number(after.slice(1)) + 1,
    "the page is not looked at any more",
  );
  assert.equal(
    page.frames.some((frame) => typeof frame === "string" && frame.startsWith(id)),
    false,
  );
});

scene("the page itself waits for functions and expressions", async ({ tab }) => {
  assert.equal(await tab.evaluate("setTimeout(() => window.x = 5, 30), eye.wait(() => window.x)"), 5);
  assert.equal(await tab.evaluate("eye.wait('x + 1')"), 6);
  await assert.rejects(tab.evaluate("eye.wait(() => 0, { timeout: 20 })"), /not within 0.02 s/);
});

scene(
  "a CSP without unsafe-eval: an expression is refused with what to do, verbs work",
  async ({ page, tab }) => {
    const frame = await ask(page, "wait", { expr: "1" });
    assert.match(String(frame.value), /^-32006 this page's Content-Security-Policy forbids eval/);
    assert.equal(
      await tab.evaluate(() =>
        (globalThis as unknown as { eye: { wait(f: () => unknown): Promise<unknown> } }).eye.wait(() => 3),
      ),
      3,
    );
    assert.deepEqual((await ask(page, "logs")).value, []);
  },
  html(),
  { "content-security-policy": "script-src 'self'" },
);

test("a hidden page waits and is acted on too, without frames", { timeout: TEST_MS_MAX }, async () => {
  const hub = await new Hub().start();
  hub.pages.set("/", html("", '<button onclick="this.textContent = document.visibilityState">Go</button>'));
  hub.pages.set("/front.html", html());
  const bare = await BareChromium.open(hub.origin);
  try {
    const page = await hub.joined();
    await page.ask('void window.open("/front.html", "_blank", "noopener")');
    await page.frame(
      (frame) => typeof frame !== "string" && frame.method === "page/info" && frame.params?.visible === false,
    );
    const id = begin(page, "wait", { expr: "window.later", timeout: 10_000 });
    page.send(":void fetch('/why').then(() => { window.later = 9 })");
    assert.deepEqual(await answered(page, id), { value: 9 });
    assert.equal((await ask(page, "wait", { expr: "0", timeout: 100 })).error?.code, -32001);
    assert.deepEqual(await ask(page, "look"), { value: "e1 [Go]" });
    assert.deepEqual(await ask(page, "click", { target: "e1" }), { value: "~ e1 [hidden]" });
  } finally {
    await bare.close();
    await hub.stop();
  }
});

interface Log {
  readonly n: number;
  readonly level: string;
  readonly text: string;
  readonly count?: number;
}

const EARLY = `<script>
  console.log("%cstyled %s", "color: red", "text", { a: [1, 2], deep: { er: { value: 1 } } }, document.head);
  console.error(new TypeError("bad"));
  for (let n = 0; n < 3; n++) console.warn("again");
  setTimeout(() => { throw new Error("late") });
  Promise.reject(new Error("nobody listens"));
</script><img src="/missing.png">`;

scene(
  "logs are what the page logged, threw and failed to load since eye.js runs, each once for each agent",
  async ({ page, tab }) => {
    await tab.waitForLoadState("load");
    await tab.evaluate("fetch('/gone', { method: 'POST' }).then(() => undefined)");
    await tab.evaluate("fetch('http://localhost:1/').catch(() => undefined)");
    await tab.evaluate(
      "new Promise((done) => { const x = new XMLHttpRequest(); x.open('PUT', '/nope'); x.onloadend = () => done(); x.send() })",
    );
    const logs = (await ask(page, "logs")).value as Log[];
    const texts = logs.map(
      ({ level, text, count }) => `${level} ${text}${count === undefined ? "" : ` x${String(count)}`}`,
    );
    for (const wanted of [
      /^log styled text \{"a":\[1,2\],"deep":\{"er":\{"value":1\}\}\} <head "Test">$/,
      /^error TypeError: bad$/,
      /^warn again x3$/,
      /^error Uncaught Error: late \(http.*:\d+:\d+\)$/,
      /^error Uncaught \(in promise\) Error: nobody listens$/,
      /^error GET http.*\/missing.png: not loaded$/,
      /^error POST \/gone: 404$/,
      /^error GET http:\/\/localhost:1\/: Failed to fetch$/,
      /^error PUT \/nope: 404$/,
    ]) {
      assert.ok(
        texts.some((text) => wanted.test(text)),
        `${String(wanted)} in\n${texts.join("\n")}`,
      );
    }
    assert.deepEqual((await ask(page, "logs")).value, []);
    assert.equal(((await ask(page, "logs", { agent: "other" })).value as Log[]).length, logs.length);
    assert.equal(((await ask(page, "logs", { all: true })).value as Log[]).length, logs.length);
    const errors = (await ask(page, "logs", { all: true, level: "warn" })).value as Log[];
    assert.equal(
      errors.some(({ level }) => level === "log"),
      false,
    );
    assert.ok(errors.some(({ level }) => level === "warn"));
    assert.equal((await ask(page, "logs", { level: "loud" })).error?.code, -32602);
  },
  html("", EARLY),
);

scene("logs are bounded, and leave the console and fetch as they look", async ({ page, tab }) => {
  await tab.evaluate(`for (let n = 0; n < 1000; n++) console.debug("n" + n);
    console.info("x".repeat(10_000)); console.info(Array.from({ length: 1e6 }, () => 0))`);
  const logs = (await ask(page, "logs")).value as Log[];
  assert.equal(logs.length, 256);
  assert.ok(logs.every(({ text }) => text.length <= 2048));
  assert.equal(await tab.evaluate("console.log.name + fetch.name + fetch.length"), "logfetch1");
});

scene("logs that are followed are told one by one, until it is cancelled", async ({ page, tab }) => {
  const id = begin(page, "logs", { follow: true, level: "info" });
  await page.ask("0");
  await tab.evaluate("console.log('too quiet'), console.info('one'), console.info('two')");
  const told = await page.until(() => {
    const news = page.frames.filter(
      (frame): frame is Rpc => typeof frame !== "string" && frame.method === "call/progress",
    );
    return news.length >= 2 && news;
  });
  assert.deepEqual(
    told.map(({ params }) => [params?.id, (params?.entry as Log).text]),
    [
      [id, "one"],
      [id, "two"],
    ],
  );
  page.send({ jsonrpc: "2.0", method: "call/cancel", params: { id } } as Rpc);
  await page.ask("0");
  await tab.evaluate("console.info('three')");
  assert.deepEqual(
    ((await ask(page, "logs")).value as Log[]).map(({ text }) => text),
    ["three"],
  );
  assert.deepEqual((await ask(page, "logs", { follow: true, timeout: 50 })).value, []);
});

/** The page's own requests to the hub, by method. */
function requests(page: Connection, method: string): Rpc[] {
  return page.frames.filter(
    (frame): frame is Rpc => typeof frame !== "string" && frame.method === method && frame.id !== undefined,
  );
}

function respond(page: Connection, request: Rpc | undefined, result: unknown = {}): void {
  page.send({ jsonrpc: "2.0", id: request?.id, result } as unknown as Rpc);
}

const message = (topic: string, text: unknown): Rpc =>
  ({
    jsonrpc: "2.0",
    method: "topic/message",
    params: { topic, message: text, from: "agent", time: 5 },
  }) as unknown as Rpc;

scene(
  "a page publishes, hears what it subscribed to, and subscribes again after a reconnect",
  async ({ hub, page, tab }) => {
    const published = tab.evaluate("eye.publish('news', { a: 1 }, { queue: false })");
    const [publish] = await page.until(
      () => requests(page, "topic/publish").length > 0 && requests(page, "topic/publish"),
    );
    assert.deepEqual(publish?.params, { topic: "news", message: { a: 1 }, queue: false });
    respond(page, publish, { status: "delivered", count: 2 });
    assert.deepEqual(await published, { status: "delivered", count: 2 });

    const subscribed = tab.evaluate(`window.heard = [];
    Promise.all([eye.subscribe("chat*", (text, { topic, from }) => heard.push([topic, from, text])), eye.subscribe("chat", (text) => heard.push(text))]).then(([first]) => { window.unsubscribe = first })`);
    await page.until(() => requests(page, "topic/subscribe").length === 2);
    for (const request of requests(page, "topic/subscribe")) respond(page, request);
    await subscribed;
    page.send(message("chat", "hi"), message("chatter", "ho"));
    await tab.waitForFunction("heard.length === 3");
    assert.deepEqual(await tab.evaluate("heard"), [["chat", "agent", "hi"], "hi", ["chatter", "agent", "ho"]]);

    page.socket.terminate();
    const second = await hub.joined();
    await second.until(() => requests(second, "topic/subscribe").length === 2);
    assert.deepEqual(
      requests(second, "topic/subscribe").map(({ params }) => params?.topic),
      ["chat*", "chat"],
    );
    await tab.evaluate("unsubscribe()");
    await second.until(() => requests(second, "topic/unsubscribe").length === 1);
    second.send(message("chatter", "nobody"));
    await second.ask("0");
    assert.equal(await tab.evaluate("heard.length"), 3);
  },
);

scene("a request over topics ends with its response, or at its time", async ({ page, tab }) => {
  const asked = tab.evaluate("eye.request('clock', { zone: 'UTC' })");
  const [subscribe] = await page.until(
    () => requests(page, "topic/subscribe").length > 0 && requests(page, "topic/subscribe"),
  );
  respond(page, subscribe);
  const [publish] = await page.until(
    () => requests(page, "topic/publish").length > 0 && requests(page, "topic/publish"),
  );
  const sent = publish?.params?.message as { zone: string; _requestId: string; _responseTopic: string };
  assert.equal(sent.zone, "UTC");
  assert.equal(sent._responseTopic, `response_${sent._requestId}`);
  respond(page, publish, { status: "delivered", count: 1 });
  page.send(message(sent._responseTopic, "12:00"));
  assert.equal(await asked, "12:00");
  await assert.rejects(tab.evaluate("eye.request('clock', 1, { timeout: 30 })"), /Request timeout/);
  const answered = tab.evaluate(
    (original) =>
      (globalThis as unknown as { eye: { respond(a: unknown, b: unknown): Promise<unknown> } }).eye.respond(
        original,
        "yes",
      ),
    sent,
  );
  const last = await page.until(() =>
    requests(page, "topic/publish").find(({ params }) => params?.topic === sent._responseTopic),
  );
  respond(page, last, { status: "queued", reason: "no subscribers" });
  assert.deepEqual(await answered, { status: "queued", reason: "no subscribers" });
});

scene("a page tells its mailbox, and hears what is written to it", async ({ page, tab }) => {
  await tab.evaluate(`window.heard = []; eye.tell({ done: true });
    addEventListener("eye:message", ({ detail }) => heard.push(["event", detail]));
    eye.onMessage((message) => heard.push(["handler", message]))`);
  assert.deepEqual((await page.notification("mailbox/put")).params, { message: { done: true } });
  assert.deepEqual(await ask(page, "write", { message: "hello" }), { value: {} });
  assert.deepEqual(await tab.evaluate("heard"), [
    ["event", "hello"],
    ["handler", "hello"],
  ]);
});

scene("a page's apps are listed, opened by any case of their name, and sent to", async ({ page, tab }) => {
  assert.match((await ask(page, "open", { app: "x" })).error?.data?.hint ?? "", /^no-apps$/);
  await tab.evaluate(`eye.app({ name: "notes", title: "My Notes", open: () => { window.opened = true }, onMessage: (text, from) => { window.got = [text, from] } });
    eye.app({ name: "mute", open: () => "it is open" })`);
  assert.deepEqual((await ask(page, "apps")).value, [{ name: "notes", title: "My Notes" }, { name: "mute" }]);
  assert.deepEqual(await ask(page, "open", { app: "MY NOTES" }), { value: { opened: "notes" } });
  assert.equal(await tab.evaluate("opened"), true);
  assert.deepEqual(await ask(page, "open", { app: "mute" }), { value: "it is open" });
  assert.deepEqual(await ask(page, "send", { app: "Notes", message: { a: 1 } }), { value: { sent: "notes" } });
  assert.deepEqual(await tab.evaluate("got"), [{ a: 1 }, "test"]);
  assert.equal((await ask(page, "send", { app: "mute", message: 1 })).error?.message, "the app mute takes no messages");
  const { error } = await ask(page, "open", { app: "nots" });
  assert.deepEqual([error?.code, error?.message, error?.data?.hint], [-32602, "no app nots", 'apps ["notes","mute"]']);
});

scene(
  "a page of the original desktop opens its apps and publishes its state when it is asked",
  async ({ page, tab }) => {
    await tab.evaluate(`window.ALGO = { bridge: {
    getState: () => ({ success: true, result: { user: "root", systemApps: [{ id: "chat", name: "Chat", icon: "💬" }] } }),
    openApp: (id) => id === "chat" ? { success: true, opened: id, name: "Chat" } : { success: false, error: "App not found: " + id },
  } }`);
    assert.deepEqual((await ask(page, "apps")).value, [{ name: "chat", title: "Chat", icon: "💬" }]);
    assert.deepEqual((await ask(page, "open", { app: "CHAT" })).value, { success: true, opened: "chat", name: "Chat" });
    page.send({ jsonrpc: "2.0", id: "77", method: "state/get", params: {} } as Rpc);
    const state = (await page.frame((frame) => typeof frame !== "string" && frame.id === "77")) as Rpc;
    assert.equal((state.result as { state: { user: string } }).state.user, "root");
  },
);

scene(
  "the page itself sees and acts, with targets by place, elements too",
  async ({ tab }) => {
    assert.equal(await tab.evaluate("eye.look()"), "e1 Name: _ | e2 City: _ | e3 [Send]");
    assert.equal(await tab.evaluate("eye.look('#f')"), "e1 Name: _ | e2 City: _ | e3 [Send]");
    const filled = String(await tab.evaluate("eye.fill({ 'text=Name': 'Ada', e2: 'Kiel' }, { click: 'text=Send' })"));
    assert.match(filled, /^e3 \[Send\]\n/);
    assert.match(filled, /\+ Ada Kiel/);
    assert.equal(await tab.evaluate("eye.fill(document.querySelector('input'), 'Grace')"), "~ e1 Name: Grace (focus)");
    assert.equal(await tab.evaluate("eye.press('Control+a Backspace')"), "~ e1 Name: _ (focus)");
    assert.match(String(await tab.evaluate("eye.scroll({ to: 'top' })")), /^at 0 of/);
    assert.match(String(await tab.evaluate("eye.text()")), /Ada Kiel/);
    await assert.rejects(tab.evaluate("eye.click()"), /click needs a target/);
    await assert.rejects(tab.evaluate("eye.click('#none', { timeout: 50 })"), /nothing there, within 0.05 s/);
  },
  html(
    "",
    '<form id="f" onsubmit="event.preventDefault(); out.textContent = n.value + \' \' + c.value"><label>Name <input id="n"></label> <label>City <input id="c"></label> <button>Send</button></form><p id="out"></p>',
  ),
);

scene("an answer with its delta follows the state, of an eval, a tool and a verb", async ({ page, tab }) => {
  await tab.evaluate(`window.scene = { n: 0, note: "${"n".repeat(200)}" }; eye.state(() => scene);
    eye.tool({ name: "set", execute: ({ n }) => { scene.n = n } })`);
  await page.notification("tools/register");
  await page.notification("state/update");
  page.send(
    { jsonrpc: "2.0", id: "1", method: "eval", params: { code: "scene.n = 1", delta: true } } as Rpc,
    { jsonrpc: "2.0", id: "2", method: "tools/call", params: { name: "set", arguments: { n: 2 }, delta: true } } as Rpc,
  );
  await page.frame((frame) => typeof frame !== "string" && frame.id === "2");
  page.send({ jsonrpc: "2.0", id: "3", method: "page/wait", params: { expr: "scene.n = 3", delta: true } } as Rpc);
  await page.answer("3");
  const order = page.frames.flatMap((frame) =>
    typeof frame === "string"
      ? [frame]
      : frame.method === "state/patch"
        ? [`patch ${String((frame.params?.patch as { value: unknown }[])[0]?.value)}`]
        : frame.id === "2"
          ? ["2"]
          : [],
  );
  assert.deepEqual(order, ["patch 1", "1=1", "patch 2", "2", "patch 3", "3=3"]);
});

scene("a verb that reloads the page says so before it leaves", async ({ hub, page }) => {
  const id = begin(page, "reload", {});
  const { params } = await page.notification("call/navigating");
  assert.deepEqual(params, { id, url: `${hub.origin}/` });
  await hub.joined();
});
