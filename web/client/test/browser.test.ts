// The built client in a real browser against a scripted hub: joining, leaving, coming back, and obstacles to that.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page as Tab } from "playwright-core";
import { startCachingChromium, startChromium } from "./browsers.js";
import { Hub, html, type Connection, type Rpc } from "./hub.js";

const TEST_MS_MAX = 20_000;
let browser: Browser;

before(async () => {
  browser = await startChromium();
});
after(() => browser.close());

interface Scene {
  readonly hub: Hub;
  readonly context: BrowserContext;
  readonly tab: Tab;
}

/** Every test has its own hub, browser profile and tab. */
function scene(name: string, run: (scene: Scene) => Promise<void>): void {
  test(name, { timeout: TEST_MS_MAX }, async () => {
    const hub = await new Hub().start();
    hub.pages.set("/", html());
    hub.pages.set("/two.html", html("", "", "Two"));
    const context = await browser.newContext();
    try {
      await run({ hub, context, tab: await context.newPage() });
    } finally {
      await context.close();
      await hub.stop();
    }
  });
}

async function join({ hub, tab }: Scene, path = "/"): Promise<Connection> {
  await tab.goto(hub.origin + path);
  return hub.joined();
}

/** The page in a hello, without `loading`, which depends on timing. */
function loaded({ hello }: Connection): unknown {
  const { page, ...params } = (hello?.params ?? {}) as { page?: object };
  const { loading: _, ...about } = (page ?? {}) as { loading?: boolean };
  return { ...params, page: about };
}

scene("a script tag joins with hello, alias and a new id", async (on) => {
  on.hub.pages.set("/", html('data-alias="shop"'));
  const page = await join(on);
  assert.match(page.session, /^[a-z0-9]{10}$/);
  assert.equal(page.url.pathname, "/ws");
  assert.equal(page.url.searchParams.get("clientType"), "browser");
  assert.deepEqual(loaded(page), {
    clientType: "browser",
    version: "1.0.0",
    typed: true,
    batch: true,
    page: { title: "Test", url: `${on.hub.origin}/`, visible: true, alias: "shop", eval: true },
  });
  assert.equal(
    await page.ask("[eye.session === sessionStorage['eye.session'], eye.connected, eye.version]"),
    '=[true,true,"0.1.0"]',
  );
});

scene("a script below a proxy path finds its socket below that path", async (on) => {
  on.hub.pages.set("/", '<script src="/__eye/eye.js"></script>');
  assert.equal((await join(on)).url.pathname, "/__eye/ws");
});

scene("an id comes from the tag, and from the address only where the tag says so", async (on) => {
  on.hub.pages.set("/", html('data-session="from-tag"'));
  assert.equal((await join(on)).session, "from-tag");
  on.hub.pages.set("/asks.html", html('data-session="url"'));
  assert.equal((await join(on, "/asks.html?sessionId=from_url")).session, "from_url");
  on.hub.pages.set("/plain.html", html(""));
  assert.notEqual((await join(on, "/plain.html?sessionId=of_a_link")).session, "of_a_link");
});

scene("two copies of the script are one client", async (on) => {
  on.hub.pages.set("/", html("", '<script src="/eye.js?again"></script><script src="/eye.js"></script>'));
  const page = await join(on);
  assert.equal(await page.ask("1"), "=1");
  assert.equal(on.hub.connections.length, 1);
});

scene("a reload keeps the session and says that it leaves", async (on) => {
  const first = await join(on);
  await on.tab.reload();
  const second = await on.hub.joined();
  assert.equal(second.session, first.session);
  await first.gone();
  assert.ok(first.frames.some((frame) => typeof frame !== "string" && frame.method === "page/leaving"));
});

/** The ways in which a page rewrites its document: a later write opens it implicitly. */
for (const [how, begin, end] of [
  ["open, write and close", "document.open();", "document.close();"],
  ["a later write", "", ""],
]) {
  scene(`a page that writes its document anew by ${how} is heard as before`, async (on) => {
    const page = await join(on);
    const written = '<title>New</title><form action="/two.html"><button>y</button></form>';
    await on.tab.evaluate(`${begin} document.write(${JSON.stringify(written)}); ${end} void 0`);
    await titled(page, "New");
    assert.equal(await page.ask("document.title = 'Later'"), ":Later");
    await titled(page, "Later");
    await on.tab.evaluate(`new Promise((done) => {
      setTimeout(() => { setTimeout(done); Promise.reject(new Error("rejected")); later.on(); });
    })`);
    const logged = await page.ask("(await eye.logs({ all: true })).map(({ text }) => text).join()");
    for (const text of [/later is not defined/, /\(in promise\) Error: rejected/]) assert.match(logged, text);
    page.send("50:document.querySelector('button').click()");
    const note = await page.notification("call/navigating");
    assert.deepEqual(note.params, { id: "50", url: `${on.hub.origin}/two.html?` });
    const second = await on.hub.joined();
    assert.equal(second.session, page.session);
    await page.gone();
    assert.ok(page.frames.some((frame) => typeof frame !== "string" && frame.method === "page/leaving"));
  });
}

/** Waits until the page reports this title. */
function titled(page: Connection, title: string): Promise<unknown> {
  return page.frame((frame) => typeof frame !== "string" && frame.params?.title === title);
}

scene("a tab that copies the memory of another gets an id of its own", async (on) => {
  const first = await join(on);
  await on.tab.evaluate("window.open(location.href)");
  const second = await on.hub.joined();
  assert.notEqual(second.session, first.session);
  assert.equal(await first.ask("'first'"), ":first");
  assert.equal(await second.ask("'second'"), ":second");
});

scene("frames have ids of their own and keep them", async (on) => {
  on.hub.pages.set("/", html("", '<iframe src="/two.html"></iframe>'));
  const ids = async (): Promise<string[]> => {
    const both = [await on.hub.joined(), await on.hub.joined()];
    return both
      .map((page) => `${String((page.hello?.params?.page as { title: string }).title)} ${page.session}`)
      .sort();
  };
  await on.tab.goto(`${on.hub.origin}/`);
  const before = await ids();
  await on.tab.reload();
  assert.deepEqual(await ids(), before);
  assert.notEqual(before[0]?.slice(-10), before[1]?.slice(-10));
});

scene("a sandboxed frame without memory joins too", async (on) => {
  on.hub.pages.set("/", `<iframe sandbox="allow-scripts" src="/two.html"></iframe>`);
  const page = await join(on);
  assert.equal(await page.ask("document.title"), ":Two");
});

scene("a restarted hub gets its page back under the same id", async (on) => {
  const first = await join(on);
  const { port } = on.hub;
  await on.hub.stop();
  await on.hub.start(port);
  const second = await on.hub.joined();
  assert.equal(second.session, first.session);
  assert.equal(await second.ask("2+2"), "=4");
});

scene("a page whose session was taken never claims it again", async (on) => {
  const first = await join(on);
  const warned = on.tab.waitForEvent("console", (message) => message.text().includes("another page took this session"));
  first.socket.close(4003);
  await warned;
  await on.tab.reload();
  assert.notEqual((await on.hub.joined()).session, first.session);
});

scene("a session of another origin makes a page take a new id", async (on) => {
  const first = await join(on);
  first.socket.close(4004);
  assert.notEqual((await on.hub.joined()).session, first.session);
});

scene("title, address and visibility are told when they change, together", async (on) => {
  const page = await join(on);
  assert.equal(await page.ask("document.title = 'New'; history.pushState(0, '', '#x'); 1"), "=1");
  const note = await page.notification("page/info");
  assert.deepEqual(note.params, { title: "New", url: `${on.hub.origin}/#x` });
});

scene("a batch is answered in order, in shared messages, and a ping by the page's code", async (on) => {
  const page = await join(on);
  page.send(...Array.from({ length: 300 }, (_, at) => `${String(at + 1)}:${String(at)}*2`));
  await page.answer("300");
  assert.deepEqual(
    page.frames,
    Array.from({ length: 300 }, (_, at) => `${String(at + 1)}=${String(at * 2)}`),
  );
  assert.ok(Math.max(...page.messages) > 1);
  assert.ok(Math.max(...page.messages) <= 256);
  page.send({ jsonrpc: "2.0", id: "p", method: "ping" } as Rpc);
  const pong = await page.frame((frame) => typeof frame !== "string" && frame.id === "p");
  assert.deepEqual((pong as Rpc).result, { pong: true });
});

scene("fire and forget runs and is never answered", async (on) => {
  const page = await join(on);
  page.send(":window.fired = 1", ":nope()", ":(1", "1:fired");
  assert.equal(await page.answer("1"), "=1");
  assert.deepEqual(page.frames, ["1=1"]);
});

scene("a cancelled call sees its signal and is not answered", async (on) => {
  const page = await join(on);
  page.send(
    "7:const signal = eye.signal; new Promise(done => signal.onabort = () => { window.aborted = signal.reason.name; done() })",
  );
  page.send({ jsonrpc: "2.0", method: "call/cancel", params: { id: "7" } } as Rpc);
  assert.equal(await page.ask("aborted"), ":AbortError");
  assert.ok(!page.frames.some((frame) => typeof frame === "string" && frame.startsWith("7")));
});

scene("5 MiB arrive whole", async (on) => {
  const page = await join(on);
  const answer = await page.ask("'é'.repeat(2.5 * 1024 * 1024)");
  assert.equal(Buffer.byteLength(answer), 5 * 1024 * 1024 + 1);
});

for (const [code, url] of [
  ["location.href = '/two.html'", "/two.html"],
  ["location.reload()", "/"],
  ["document.querySelector('a').click()", "/two.html"],
  ["document.querySelector('form').submit()", "/two.html?"],
  ["document.querySelector('form').requestSubmit()", "/two.html?"],
  ["document.querySelector('button').click()", "/two.html?"],
  ["new Promise(() => location.assign('/two.html'))", "/two.html"],
] as const) {
  scene(`the navigation of ${code} is announced in place of an answer`, async (on) => {
    on.hub.pages.set("/", html("", '<a href="/two.html">x</a><form action="/two.html"><button>y</button></form>'));
    const page = await join(on);
    page.send(`5:${code}`);
    const note = await page.notification("call/navigating");
    assert.deepEqual(note.params, { id: "5", url: on.hub.origin + url });
    await on.hub.joined();
    await page.gone();
    assert.ok(!page.frames.some((frame) => typeof frame === "string"));
  });
}

scene("history.back() is announced", async (on) => {
  await join(on);
  const page = await join(on, "/two.html");
  page.send("5:history.back()");
  const first = await page.frame(() => true);
  assert.deepEqual(first, { jsonrpc: "2.0", method: "call/navigating", params: { id: "5", url: `${on.hub.origin}/` } });
  await on.hub.joined();
});

scene("a navigation that leads nowhere gives the held answer", async (on) => {
  on.hub.pages.set("/nothing", (_, response) => response.writeHead(204).end());
  const page = await join(on);
  page.send("5:location.href = '/nothing'");
  await page.notification("call/navigating");
  assert.equal(await page.answer("5"), ":/nothing");
});

scene("a navigation inside of the document is just answered", async (on) => {
  const page = await join(on);
  assert.equal(await page.ask("location.hash = 'there'"), ":there");
  assert.equal(
    await page.ask("navigation.addEventListener('navigate', e => e.intercept()); location.href = '/soft'"),
    ":/soft",
  );
  assert.equal(await page.ask("location.pathname"), ":/soft");
  assert.ok(!page.frames.some((frame) => typeof frame !== "string" && frame.method === "call/navigating"));
});

scene("frames are found by selector, name, index and address, and run in their own realm", async (on) => {
  on.hub.pages.set("/inner.html", "<title>Inner</title><script>var here = 'inner'</script>");
  on.hub.pages.set(
    "/",
    html(
      "",
      `<iframe id="preview" name="pre" src="/inner.html"></iframe><iframe id="far" src="${on.hub.origin.replace("localhost", "127.0.0.1")}/inner.html"></iframe>`,
    ),
  );
  await on.tab.goto(`${on.hub.origin}/`, { waitUntil: "load" });
  const page = await on.hub.joined();
  const askIn = async (frame: string, code: string): Promise<string> => {
    const id = page.nextId();
    page.send({ jsonrpc: "2.0", id, method: "eval", params: { code, frame } } as Rpc);
    return page.answer(id);
  };
  for (const name of ["#preview", "pre", "0", "inner.html"]) assert.equal(await askIn(name, "here"), ":inner");
  assert.equal(await askIn("pre", "const kept = await 4; document.title"), ":Inner");
  assert.equal(await askIn("pre", "kept"), "=4");
  assert.equal(await askIn("pre", "({a: [1, {b: 2}]})"), '={"a":[1,{"b":2}]}');
  assert.match(await askIn("pre", "nope"), /^!-32003 ReferenceError: nope is not defined/);
  assert.match(await askIn("#far", "1"), /^!-32602 the frame 1 #far .* is of another origin\x1fframe \[/);
  assert.match(await askIn("#none", "1"), /^!-32602 no frame matches "#none"\x1fframes \["0 #preview .*","1 #far /);
});

function withPolicy(policy: string, body: string): Parameters<Hub["pages"]["set"]>[1] {
  return (_, response) => {
    response.setHeader("content-type", "text/html");
    response.setHeader("content-security-policy", policy);
    response.end(body);
  };
}

scene("a policy that forbids eval is said in hello and in the answer", async (on) => {
  on.hub.pages.set("/", withPolicy("script-src 'self'", html()));
  const page = await join(on);
  assert.deepEqual(
    { ...(loaded(page) as { page: object }).page, title: "", url: "" },
    { title: "", url: "", visible: true, eval: false, evalBlocked: "CSP" },
  );
  assert.equal(await page.ask("1"), "!-32006 this page's Content-Security-Policy forbids eval\x1fcsp");
});

scene("trusted types: a policy of our own where it is allowed, the reason where not", async (on) => {
  on.hub.pages.set("/", withPolicy("require-trusted-types-for 'script'", html()));
  const able = await join(on);
  assert.equal(await able.ask("1+1"), "=2");
  assert.equal(await able.ask("let kept = await 3; kept + 1"), "=4");
  assert.equal(await able.ask("kept"), "=3");
  assert.match(await able.ask("(1,,"), /^!-32003 SyntaxError: Unexpected token ','/);
  on.hub.pages.set("/", withPolicy("require-trusted-types-for 'script'; trusted-types 'none'", html()));
  const unable = await join(on);
  assert.equal((unable.hello?.params?.page as { evalBlocked: string }).evalBlocked, "Trusted Types");
  assert.match(await unable.ask("1"), /^!-32006 this page's Trusted Types forbid eval/);
});

scene("a page may refuse eval", async (on) => {
  on.hub.pages.set("/", html('data-eval="off"'));
  const page = await join(on);
  assert.equal((page.hello?.params?.page as { evalBlocked: string }).evalBlocked, "the page refuses");
  assert.match(await page.ask("1"), /^!-32006 this page refuses eval/);
});

scene("an `eye` of the page's own is left alone", async (on) => {
  on.hub.pages.set("/", `<script>window.eye = 'mine'</script>${html()}`);
  const page = await join(on);
  assert.equal(await page.ask("[eye, eyeClient.connected]"), '=["mine",true]');
});

scene("eye.close() leaves", async (on) => {
  const page = await join(on);
  page.send(":eye.close()");
  await page.gone();
});

async function said(tab: Tab, url: string): Promise<string> {
  const message = tab.waitForEvent("console", (one) => one.text().startsWith("eye:"));
  await tab.goto(url);
  return (await message).text();
}

scene("the console says that a policy blocks the hub", async (on) => {
  on.hub.pages.set("/", withPolicy("connect-src 'none'", html()));
  assert.match(
    await said(on.tab, `${on.hub.origin}/`),
    /Content-Security-Policy blocks the hub; add http:\/\/localhost:\d+ ws:\/\/localhost:\d+ to connect-src/,
  );
});

scene("the console says why the hub refuses the page", async (on) => {
  on.hub.refuse = true;
  on.hub.why = { allowed: false, reason: "this origin is not allowed", hint: "eye allow http://x" };
  assert.equal(await said(on.tab, `${on.hub.origin}/`), "eye: this origin is not allowed; eye allow http://x");
});

scene("the console says that no hub answers", async (on) => {
  const other = await new Hub().start();
  const { port } = other;
  await other.stop();
  on.hub.pages.set("/", html(`data-hub="http://localhost:${String(port)}"`));
  assert.match(
    await said(on.tab, `${on.hub.origin}/`),
    /no hub answers at http:\/\/localhost:\d+; start one with `eye up`/,
  );
});

test("a page that comes back from the browser's cache joins again as itself", { timeout: TEST_MS_MAX }, async () => {
  const hub = await new Hub().start();
  hub.pages.set(
    "/",
    html("", "<script>addEventListener('pageshow', (event) => { window.persisted = event.persisted })</script>"),
  );
  hub.pages.set("/plain.html", "<title>Plain</title>");
  const caching = await startCachingChromium();
  try {
    const tab = await caching.newPage();
    await tab.goto(`${hub.origin}/`);
    const first = await hub.joined();
    assert.equal(await first.ask("window.mark = 'kept'"), ":kept");
    await tab.goto(`${hub.origin}/plain.html`);
    await first.gone();
    // Playwright does not follow a page into the back/forward cache and back, so its events are not waited for.
    void tab.evaluate("history.back()").catch(() => undefined);
    const second = await hub.joined();
    assert.equal(second.session, first.session);
    assert.equal(await second.ask("[window.mark, persisted]"), '=["kept",true]');
  } finally {
    await caching.close();
    await hub.stop();
  }
});
