// The extension without the debugger permission, loaded unpacked into a real Chromium: what its scripts do in granted
// tabs, and what the browser itself prevents.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { decode } from "fast-png";
import { MARK, Person } from "../stage/extension.js";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";
import { until } from "../../harness/until.js";

let home: Home;
let site: Site;
let person: Person;

const STRICT = "default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";

const BODY = `<h1>Shop</h1><button id="go">Go</button><p id="out"></p><input id="name"><a href="/mail">Mail</a>
<script nonce="a">
document.getElementById("go").addEventListener("click", (event) => {
  document.getElementById("out").textContent = "clicked:" + event.isTrusted;
});
</script>`;

before(async () => {
  home = await Home.open();
  await home.up();
  site = await Site.open(home.url);
  site.page("/shop", { title: "Shop", body: BODY, tag: false });
  site.page("/strict", { title: "Strict", body: BODY, tag: false, headers: { "content-security-policy": STRICT } });
  site.page("/mail", { title: "Mail", body: "<h1>Mail</h1>", tag: false });
  const frame = `<iframe src="${site.url("/far", "127.0.0.1")}" width="200" height="100"></iframe>`;
  // Yellow must be hidden, green must not.
  const field = (colour: string, more: string): string => `<input style="background:${colour};border:0" ${more}>`;
  const closed = `<template shadowrootmode="closed">${field("#ff0", `type="password" value="hidden"`)}</template>`;
  const fields = `${field("#ff0", `type="password" id="word"`)} ${field("#0f0", "")} <div>${closed}</div>`;
  site.page("/far", { title: "Far", body: `<body style="background:#ff0">`, tag: false });
  site.page("/login", { title: "Login", body: fields + frame, tag: false });
  site.page("/long", { title: "Long", body: `<div style="height:5000px"></div><p id="end">End</p>`, tag: false });
  person = await Person.open(home, "scripted");
  await person.paired();
});

afterEach(() => person.rest());

after(async () => {
  await person.close();
  await site.close();
  await home.close();
});

async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.eye(...args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function refused(...args: string[]): Promise<string> {
  const { code, stderr } = await home.eye(...args);
  assert.notEqual(code, 0);
  return stderr;
}

async function gone(id: string): Promise<void> {
  await until("the page is gone", async () =>
    (await home.pages()).find((row) => row.id === id && row.state === "gone"),
  );
}

/** The numbers of yellow and of green pixels in a picture of the tab. */
async function colours(id: string): Promise<readonly [yellow: number, green: number]> {
  const file = join(home.folder, "shot.png");
  await output("shot", "-o", file, "--page", id);
  const { data, channels } = decode(await readFile(file));
  let [yellow, green] = [0, 0];
  for (let at = 0; at < data.length; at += channels) {
    if (data[at + 1] !== 255 || data[at + 2] !== 0) continue;
    if (data[at] === 255) yellow++;
    else if (data[at] === 0) green++;
  }
  return [yellow, green];
}

test("a granted tab is a page: eval, look, verbs by events of its own, and what needs hands says so", async () => {
  const mail = await person.visit(site.url("/mail"));
  const shop = await person.visit(site.url("/shop"));
  await person.grant(shop);
  const { id } = await person.joined(shop);
  assert.deepEqual(
    (await home.pages()).map((row) => row.url),
    [shop.url()],
    "the other tab stays invisible",
  );
  assert.equal(await output("document.title", "--page", id), "Shop\n");
  assert.match(await output("look", "--page", id), /\[Go\]/);
  await output("click", "text=Go", "--page", id);
  assert.equal(await output("out.textContent", "--page", id), "clicked:false\n");
  await output("fill", "#name", "Ada", "--page", id);
  assert.equal(await shop.inputValue("#name"), "Ada");
  for (const verb of [["cookies", "get"], ["net"], ["dialog"], ["stop-script"]])
    assert.match(await refused(...verb, "--page", id), /needs a browser with hands: .*\(eye extension\)/);
  await mail.close();
  await output("close", "--page", id);
  await until("the tab is closed", () => (shop.isClosed() ? true : undefined));
  await gone(id);
});

test("under a strict policy look and verbs work, and eval says why it does not", async () => {
  const page = await person.visit(site.url("/strict"));
  await person.grant(page);
  const { id } = await person.joined(page);
  assert.match(await output("look", "--page", id), /\[Go\]/);
  await output("click", "text=Go", "--page", id);
  assert.equal(await page.textContent("#out"), "clicked:false");
  const why = await refused("1 + 1", "--page", id);
  assert.match(why, /does not evaluate code \((?:CSP|Trusted Types)\)/);
  assert.match(why, /extension with the debugger/);
});

test("the page stays the same over a reload, links, the way back and the hub's end", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await output("globalThis.before = 1", "--page", id);
  await page.reload();
  assert.equal(await output("typeof before", "--page", id), "undefined\n");
  assert.match(await output("click", "text=Mail", "--page", id), /Mail/);
  assert.equal(await output("document.title", "--page", id), "Mail\n");
  assert.match(await output("back", "--page", id), /Shop/);
  assert.equal(await output("document.title", "--page", id), "Shop\n");
  await output("reload", "--page", id);
  await output("globalThis.kept = 42", "--page", id);
  await home.killHub();
  await home.up();
  assert.equal((await person.joined(page)).id, id);
  assert.equal(await output("kept", "--page", id), "42\n");
  await person.stopWorker();
  // Opening the extension's screen wakes the worker.
  await (await person.popup()).close();
  await until("the tab is there again", async () => {
    const { code, stdout } = await home.eye("kept", "--page", id);
    return code === 0 && stdout === "42\n" ? true : undefined;
  });
});

test("one click stops it: what waits ends, and the tab is gone for agents", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await until("the badge is on", async () => ((await person.badge(page)) === "on" ? true : undefined));
  const waiting = await home.start(["await new Promise(() => globalThis.began = true)", "--page", id]);
  await page.waitForFunction(() => (globalThis as { began?: boolean }).began === true);
  await person.click(page);
  const { code } = await waiting.ended;
  assert.notEqual(code, 0);
  await gone(id);
  assert.equal(await person.badge(page), "");
  assert.notEqual((await home.eye("document.title", "--page", id)).code, 0);
  await person.grant(page);
  assert.equal((await person.joined(page)).id, id);
});

test("a badge and the title show that an agent was there, and no agent reads that", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await until("the badge rests", async () => ((await person.badge(page)) === "on" ? true : undefined));
  await output("1 + 1", "--page", id);
  assert.equal(await person.badge(page), "●");
  await until("the title is marked", async () => ((await page.title()) === `${MARK}Shop` ? true : undefined));
  assert.equal(await output("document.title", "--page", id), "Shop\n");
  await until("the mark is gone", async () => ((await page.title()) === "Shop" ? true : undefined));
  assert.equal((await home.pages()).find((row) => row.id === id)?.title, "Shop");
});

test("a picture shows what is in view, without secrets and frames of other origins, also from behind another tab", async () => {
  const page = await person.visit(site.url("/login"));
  await person.grant(page);
  const { id } = await person.joined(page);
  const [empty, green] = await colours(id);
  assert.ok(empty > 100 && green > 100, "a field that is empty is shown");
  await page.fill("#word", "secret");
  await person.visit(site.url("/mail"));
  assert.deepEqual(await colours(id), [0, green], "field, closed shadow and frame are painted over");
  const long = await person.visit(site.url("/long"));
  await person.grant(long);
  const other = await person.joined(long);
  assert.match(await refused("shot", "--full", "-o", join(home.folder, "x.png"), "--page", other.id), /eye scroll/);
  assert.match(await refused("shot", "#end", "-o", join(home.folder, "x.png"), "--page", other.id), /eye scroll/);
  await output("scroll", "#end", "--page", other.id);
  assert.match(await output("shot", "#end", "-o", join(home.folder, "x.png"), "--page", other.id), /x\.png \d+x\d+/);
});

test("a tab's grant ends at another site, unless the person allows every site", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await page.goto(site.url("/mail", "127.0.0.1"));
  await gone(id);
  assert.equal((await home.pages()).find((row) => row.id === id)?.url, site.url("/shop"), "where it went is not told");
  assert.equal(await person.badge(page), "");
  await page.goto(site.url("/shop"));
  const popup = await person.popup(page);
  await popup.waitForSelector("text=Let agents use this tab");
  // Without a click on the button the browser gives no access, and the screen says so.
  await popup.click("text=Let agents use this tab");
  await popup.waitForSelector("text=gives no access to this tab");
  await person.allow("<all_urls>");
  await popup.click("#everywhere");
  await popup.click("text=Let agents use this tab");
  await popup.waitForSelector("text=Stop agents in this tab");
  assert.equal((await person.joined(page)).id, id);
  await page.goto(site.url("/mail", "127.0.0.1"));
  assert.equal((await person.joined(page)).id, id);
  assert.equal(await output("document.title", "--page", id), "Mail\n");
  await popup.uncheck("#everywhere");
  await gone(id);
  await popup.close();
});

test("a site is granted in all its tabs, where the browser allows it, and ends with either", async () => {
  const one = await person.visit(site.url("/shop"));
  await person.grant(one, "site");
  const two = await person.visit(site.url("/mail"));
  const [first, second] = [await person.joined(one), await person.joined(two)];
  assert.equal(await output("document.title", "--page", first.id), "Shop\n");
  assert.equal(await output("document.title", "--page", second.id), "Mail\n");
  assert.match(await refused("shot", "-o", join(home.folder, "x.png"), "--page", second.id), /eye's own button/);
  await two.goto(site.url("/mail", "127.0.0.1"));
  await gone(second.id);
  await two.goto(site.url("/mail"));
  assert.equal((await person.joined(two)).id, second.id);
  // The browser may give access to more sites than the person grants to agents.
  await person.allow("<all_urls>");
  const screen = await person.popup(one);
  await screen.click("#everywhere");
  await screen.waitForSelector("#everywhere:checked");
  await two.goto(site.url("/mail", "127.0.0.1"));
  await gone(second.id);
  assert.equal(await two.evaluate(() => Symbol.for("eye.client") in globalThis), false, "nothing was put there");
  assert.equal(await output("document.title", "--page", first.id), "Shop\n");
  // The browser then also revokes single sites.
  await screen.uncheck("#everywhere");
  await gone(first.id);
  await screen.waitForSelector("#site:not(:checked)");
  await screen.close();
});

test("a site that is denied to agents is denied here too, and the tab can be led elsewhere", async () => {
  const page = await person.visit(site.url("/login"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await output("deny", new URL(page.url()).origin);
  try {
    await until("it is denied", async () => {
      const { code, stderr } = await home.eye("look", "--page", id);
      return code !== 0 && /denied/.test(stderr) ? true : undefined;
    });
    assert.match(await refused("shot", "-o", join(home.folder, "x.png"), "--page", id), /denied/);
    await home.eye("goto", site.url("/mail", "127.0.0.1"), "--page", id);
    await page.waitForURL(site.url("/mail", "127.0.0.1"));
  } finally {
    await output("deny", "--remove", new URL(site.url("/login")).origin);
  }
});
