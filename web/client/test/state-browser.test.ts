// `eye.state` of the built client in a real browser against a scripted hub, with a real mouse, keyboard and wheel.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join as path } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page as Tab } from "playwright-core";
import { BareChromium } from "../../harness/chromium.js";
import { web } from "../../harness/program.js";
import { startChromium } from "./browsers.js";
import { Hub, html, type Connection, type Rpc } from "./hub.js";

const TEST_MS_MAX = 20_000;
const MODULE = path(web(), "client/dist/index.js");
/** Longer than a patch, so that a change is sent as a patch. */
const NOTE = "n".repeat(200);
const STATE = `window.scene = { note: "${NOTE}", n: 0 }; window.reads = 0;`;
const PUBLISH = "eye.state(() => (reads++, scene));";

/** Counts all timers and animation frames that are requested, including the client's worker. */
const COUNT = `window.timers = 0;
  for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"]) {
    const original = window[name];
    window[name] = (...args) => (window.timers++, original.apply(window, args));
  }
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (...args) { window.timers++; return post.apply(this, args) };`;

let browser: Browser;

before(async () => {
  browser = await startChromium();
});
after(() => browser.close());

interface Scene {
  readonly hub: Hub;
  readonly tab: Tab;
  readonly page: Connection;
}

function scene(name: string, run: (scene: Scene) => Promise<void>, document = published()): void {
  test(name, { timeout: TEST_MS_MAX }, async () => {
    const hub = await new Hub().start();
    hub.pages.set("/", document);
    hub.pages.set("/eye-client.js", (_, response) =>
      response.setHeader("content-type", "text/javascript").end(readFileSync(MODULE)),
    );
    const context = await browser.newContext({ hasTouch: true });
    try {
      const tab = await context.newPage();
      await tab.goto(hub.origin);
      await run({ hub, tab, page: await hub.joined() });
    } finally {
      await context.close();
      await hub.stop();
    }
  });
}

function published(script = "", body = ""): string {
  return `<!doctype html><script>${COUNT}</script>${html("", `${body}<script>${STATE}${script}${PUBLISH}</script>`)}`;
}

function news(page: Connection): Rpc[] {
  return page.frames.filter(
    (frame): frame is Rpc => typeof frame !== "string" && frame.method?.startsWith("state/") === true,
  );
}

/** The state message number `count` of this connection. */
async function told(page: Connection, count: number): Promise<Rpc> {
  return page.until(() => news(page)[count - 1]);
}

/** Waits until a later state has this value; patches here have one operation. */
async function saying(page: Connection, value: unknown): Promise<void> {
  await page.until(() =>
    news(page).some(({ params }) => JSON.stringify(params?.patch)?.includes(`"value":${JSON.stringify(value)}`)),
  );
}

/** A task of the page after all pending ones: everything that was to be sent has arrived. */
async function settled({ tab, page }: Scene): Promise<void> {
  await tab.evaluate(
    "new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); })",
  );
  await page.ask("0");
}

async function ask(page: Connection, id: string): Promise<Rpc> {
  page.send({ jsonrpc: "2.0", id, method: "state/get", params: {} } as Rpc);
  return (await page.frame((frame) => typeof frame !== "string" && frame.id === id)) as Rpc;
}

const update = (n: number, revision: number): object => ({
  jsonrpc: "2.0",
  method: "state/update",
  params: { state: { note: NOTE, n }, revision },
});
const patch = (n: number, revision: number): object => ({
  jsonrpc: "2.0",
  method: "state/patch",
  params: { patch: [{ op: "replace", path: "/n", value: n }], revision },
});

const module = `<!doctype html><script>${STATE}</script><script type="module">import { connect } from "/eye-client.js"; const eye = connect({ hub: location.origin }); ${PUBLISH}</script>`;

for (const [kind, document] of [
  ["script tag", published()],
  ["import", module],
] as const) {
  scene(
    `${kind}: the whole document once, then patches after calls, behind their answers`,
    async ({ page }) => {
      assert.deepEqual(await told(page, 1), update(0, 1));
      page.send("1:scene.n = 1", "2:scene.n = 2", "3:Promise.resolve().then(() => scene.n = 3)");
      assert.deepEqual(await told(page, 2), patch(3, 2));
      assert.deepEqual(page.frames.slice(-4), ["1=1", "2=2", "3=3", patch(3, 2)]);
      page.send(":scene.n = 4");
      assert.deepEqual(await told(page, 3), patch(4, 3));
    },
    document,
  );
}

scene("nothing is sent when nothing changed", async (on) => {
  await told(on.page, 1);
  for (let call = 0; call < 3; call++) await on.page.ask("scene.n");
  await settled(on);
  assert.equal(news(on.page).length, 1);
});

scene("a call's change is told without a timer or a frame, and an idle page asks for none", async (on) => {
  const { page } = on;
  await told(page, 1);
  const [timers, reads] = JSON.parse((await page.ask("[timers, reads]")).slice(1)) as number[];
  await page.ask("scene.n = 7");
  assert.deepEqual(await told(page, 2), patch(7, 2));
  await settled(on);
  assert.equal(await page.ask("timers"), `=${String(timers)}`);
  assert.ok(Number((await page.ask("reads")).slice(1)) > Number(reads));
});

scene("a tool's change is told behind its answer", async ({ tab, page }) => {
  await told(page, 1);
  await tab.evaluate('eye.tool({ name: "set", execute: async ({ n }) => { scene.n = n; return "set" } })');
  await page.notification("tools/register");
  page.send({ jsonrpc: "2.0", id: "9", method: "tools/call", params: { name: "set", arguments: { n: 4 } } } as Rpc);
  assert.deepEqual(await told(page, 2), patch(4, 2));
  assert.deepEqual(page.frames.slice(-2), [{ jsonrpc: "2.0", id: "9", result: "set" }, patch(4, 2)]);
});

const LISTEN = `
  addEventListener("pointerdown", () => scene.n = "down");
  addEventListener("pointermove", ({ buttons }) => { if (buttons) scene.n = "dragged" });
  addEventListener("pointerup", () => scene.n = "up");
  addEventListener("keydown", ({ key }) => scene.n = key);
  addEventListener("wheel", ({ deltaY }) => scene.n = deltaY);
  addEventListener("input", ({ target }) => scene.n = target.value);
  addEventListener("touchend", () => queueMicrotask(() => scene.n = "ended"));`;

scene(
  "what a person does is told: mouse, wheel, keyboard and touch",
  async ({ tab, page }) => {
    await told(page, 1);
    await tab.mouse.move(100, 300);
    await tab.mouse.down();
    await saying(page, "down");
    await tab.mouse.move(150, 320, { steps: 5 });
    await saying(page, "dragged");
    await tab.mouse.up();
    await saying(page, "up");
    await tab.mouse.wheel(0, 120);
    await saying(page, 120);
    await tab.keyboard.press("ArrowLeft");
    await saying(page, "ArrowLeft");
    await tab.focus("input");
    await tab.keyboard.insertText("typed");
    await saying(page, "typed");
    await tab.touchscreen.tap(200, 300);
    await saying(page, "ended");
    const revisions = news(page).map(({ params }) => params?.revision);
    assert.deepEqual(
      revisions,
      revisions.map((_, index) => index + 1),
    );
  },
  published(LISTEN, "<input>"),
);

scene(
  "a drag is throttled, and its end is told",
  async ({ tab, page }) => {
    await told(page, 1);
    await tab.evaluate(
      "eye.state(() => (reads++, scene), { throttle: 250 }).then(() => { reads = 0; window.began = performance.now() })",
    );
    await tab.mouse.move(10, 10);
    for (let n = 1; n <= 60; n++) await tab.mouse.move(10 + n, 10);
    const last = await tab.evaluate("scene.n");
    await page.until(() =>
      news(page).some(({ params }) => JSON.stringify(params).includes(`"value":${String(last)}}`)),
    );
    const [reads, spent] = (await tab.evaluate("[reads, performance.now() - began]")) as [number, number];
    assert.ok(reads <= 2 + spent / 250, `${String(reads)} reads in ${String(spent)} ms`);
  },
  published('addEventListener("pointermove", () => scene.n++);'),
);

scene("a page that changes by itself says so with changed()", async (on) => {
  const { tab, page } = on;
  await told(page, 1);
  await tab.evaluate("scene.n = 5");
  assert.equal(news(page).length, 1);
  await tab.evaluate("eye.changed()");
  assert.deepEqual(await told(page, 2), patch(5, 2));
});

scene(
  "changed() without a state is nothing, and a page without one says so to the hub",
  async (on) => {
    await on.tab.evaluate("eye.changed()");
    assert.deepEqual(await ask(on.page, "7"), {
      jsonrpc: "2.0",
      id: "7",
      error: { code: -32601, message: "no method state/get" },
    });
  },
  html(),
);

test("a hidden page tells after calls and after changed()", { timeout: TEST_MS_MAX }, async () => {
  const hub = await new Hub().start();
  hub.pages.set("/", published());
  hub.pages.set("/front.html", html());
  const bare = await BareChromium.open(hub.origin);
  try {
    const page = await hub.joined();
    await told(page, 1);
    await page.ask('void window.open("/front.html", "_blank", "noopener")');
    await page.frame(
      (frame) => typeof frame !== "string" && frame.method === "page/info" && frame.params?.visible === false,
    );
    assert.equal(await page.ask("scene.n = 1; document.visibilityState"), ":hidden");
    assert.deepEqual(await told(page, 2), patch(1, 2));
    // Two changes within the throttle and without a call: the second waits for the client's timer, not the page's
    // slowed one.
    page.send(
      ":void fetch('/why').then((answer) => answer.text()).then(() => { scene.n = 2; eye.changed(); fetch('/why').then(() => { scene.n = 3; eye.changed() }) })",
    );
    await saying(page, 3);
  } finally {
    await bare.close();
    await hub.stop();
  }
});

scene("after a reconnect the whole comes again, and the revision goes on", async ({ hub, tab, page }) => {
  await told(page, 1);
  await page.ask("scene.n = 1");
  await told(page, 2);
  page.socket.terminate();
  const second = await hub.joined();
  assert.deepEqual(await told(second, 1), update(1, 2));
  await tab.evaluate("scene.n = 2");
  second.socket.terminate();
  const third = await hub.joined();
  assert.deepEqual(await told(third, 1), update(2, 3));
  await third.ask("scene.n = 3");
  assert.deepEqual(await told(third, 2), patch(3, 4));
});

scene("the hub's question is answered from the page, and moves the revision once", async (on) => {
  const { tab, page } = on;
  await told(page, 1);
  assert.deepEqual((await ask(page, "7")).result, { state: { note: NOTE, n: 0 }, revision: 1 });
  await tab.evaluate("scene.n = 1");
  assert.deepEqual((await ask(page, "8")).result, { state: { note: NOTE, n: 1 }, revision: 2 });
  await settled(on);
  assert.equal(news(page).length, 1);
  await page.ask("scene.n = 2");
  assert.deepEqual(await told(page, 2), patch(2, 3));
});

scene("another source takes the place of the first", async ({ tab, page }) => {
  await told(page, 1);
  await tab.evaluate("window.other = { ...scene, n: 9 }; eye.state(other)");
  assert.deepEqual(await told(page, 2), patch(9, 2));
  await page.ask("scene.n = 1; other.n = 10");
  assert.deepEqual(await told(page, 3), patch(10, 3));
});

scene("a getter that throws is said once in the console, and hinders no call", async ({ tab, page }) => {
  await told(page, 1);
  const said: string[] = [];
  tab.on("console", (message) => said.push(message.text()));
  const heard = tab.waitForEvent("console");
  await tab.evaluate('eye.state(() => { throw new Error("no scene") })');
  await heard;
  assert.equal(await page.ask("1"), "=1");
  assert.equal(await page.ask("2"), "=2");
  const last = tab.waitForEvent("console", (message) => message.text() === "last");
  await tab.evaluate('new Promise((resolve) => setTimeout(resolve)).then(() => console.log("last"))');
  await last;
  assert.equal(said.filter((text) => text.includes("the state cannot be read")).length, 1);
});
