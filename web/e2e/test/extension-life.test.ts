// What the extension survives: the end of its worker, the end of the hub, a revoked pairing; and two profiles next to
// each other.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Person } from "../stage/extension.js";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";
import { WebSocketServer } from "ws";
import { until, within } from "../../harness/until.js";

let home: Home;
let site: Site;
let person: Person;

/** The browser wakes a stopped worker by an alarm, 30 s after it was set. */
const ALONE_MS = 40_000;

before(async () => {
  home = await Home.open();
  await home.up();
  site = await Site.open(home.url);
  site.page("/shop", { title: "Shop", body: "<h1>Shop</h1><button>Go</button>", tag: false });
  site.page("/mail", { title: "Mail", body: "<h1>Mail</h1>", tag: false });
  person = await Person.open(home);
});

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

test("only a right code pairs, once and in time, and the screen says why not", async () => {
  assert.match(await person.pair("hello"), /not a code/);
  assert.match(await person.pair(`${String(home.port)}-AAAA-AAAA-AAAA`), /wrong, was used already, or is too old/);
  assert.match(await person.pair(await person.code("--expires", "0ms")), /too old/);
  const code = await person.code();
  assert.equal(await person.pair(code), "");
  const popup = await person.popup();
  await popup.waitForSelector("text=Connected to your hub");
  await popup.click("text=Unpair this browser");
  await popup.waitForSelector("#pairing");
  await popup.close();
  assert.match(await person.pair(code), /was used already/);
  await person.paired();
});

test("a worker that was stopped and left alone for 40 s has its tab again", async () => {
  await person.paired();
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await person.stopWorker();
  // Does nothing in the meantime: that is what the test is about.
  await new Promise((resolve) => setTimeout(resolve, ALONE_MS));
  assert.equal((await person.joined(page)).id, id);
  assert.equal(await output("document.title", "--page", id), "Shop\n");
});

test("a hub that is started again has the attached tab again, under the same name", async () => {
  await person.paired();
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await output("globalThis.kept = 42", "--page", id);
  await home.killHub();
  await home.up();
  assert.equal((await person.joined(page)).id, id);
  assert.equal(await output("kept", "--page", id), "42\n");
  assert.match(await output("look", "--page", id), /\[Go\]/);
});

test("what listens at the hub's port and is not the hub gets nothing", async () => {
  await person.paired();
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await home.killHub();
  const received: string[] = [];
  const server = new WebSocketServer({ host: "127.0.0.1", port: home.port, handleProtocols: () => "eye.extension" });
  const knocked = new Promise<void>((resolve) => {
    server.on("connection", (socket) => {
      socket.on("message", (data: Buffer) => received.push(data.toString()));
      socket.on("close", () => resolve());
      socket.send(JSON.stringify({ method: "Eye.prove", params: { nonce: "A".repeat(26), proofs: ["0".repeat(64)] } }));
      const params = { id: "a", secret: "b", name: "c" };
      socket.send(JSON.stringify({ method: "Eye.paired", params }));
      socket.send(JSON.stringify({ id: 1, method: "Target.setAutoAttach", params: {} }));
    });
  });
  await within("the extension leaves it", knocked);
  const popup = await person.popup(page);
  await popup.waitForSelector("text=not your hub");
  await popup.close();
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual(received, []);
  await home.up();
  assert.equal((await person.joined(page)).id, id);
});

test("a pairing that is taken back ends at once, and the browser says so", async () => {
  await person.paired();
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  const rows = (await output("token", "list", "--json")).trim().split("\n");
  for (const row of rows) await output("token", "revoke", (JSON.parse(row) as { name: string }).name);
  await until("the page is gone", async () =>
    (await home.pages()).find((row) => row.id === id && row.state === "gone"),
  );
  const popup = await person.popup(page);
  await popup.waitForSelector("#pairing");
  await popup.close();
  await person.paired();
  assert.equal((await person.joined(page)).id, id, "what was granted is granted still");
});

test("two browsers are paired at once: pages say which, calls reach the right one, and one outlives the other", async () => {
  await person.paired();
  const other = await Person.open(home);
  try {
    await other.paired();
    // The same URL in both: only the browser distinguishes them.
    const url = site.url("/shop");
    const here = await person.visit(url);
    await person.grant(here);
    await person.joined(here);
    const there = await other.visit(url);
    await other.grant(there);
    const rows = await until("both say their browser", async () => {
      const all = (await home.pages()).filter((row) => row.state === "connected" && row.browser !== undefined);
      return all.length === 2 ? all : undefined;
    });
    await here.evaluate(() => (document.title = "Here"));
    await there.evaluate(() => (document.title = "There"));
    const titled = async (title: string) =>
      until(`a page is called ${title}`, async () => (await home.pages()).find((row) => row.title === title));
    const [one, two] = [await titled("Here"), await titled("There")];
    assert.notEqual(one.browser, two.browser);
    assert.deepEqual(rows.map((row) => row.id).sort(), [one.id, two.id].sort());
    const listed = (await output("browse", "--list")).trim().split("\n");
    const text = (await output("pages")).split("\n");
    for (const { id, browser = "" } of [one, two]) {
      assert.ok(
        listed.some((row) => row.startsWith(browser) && row.endsWith(` 1 pages: ${id}`)),
        listed.join("\n"),
      );
      assert.ok(
        text.some((row) => row.includes(id) && row.includes(`in ${browser}`)),
        text.join("\n"),
      );
    }
    for (const [{ id }, name] of [
      [one, "here"],
      [two, "there"],
    ] as const) {
      assert.equal(await output(`globalThis.who = "${name}"`, "--page", id), `${name}\n`);
      await output("click", "text=Go", "--page", id);
    }
    const who = () => (globalThis as { who?: string }).who;
    assert.deepEqual([await here.evaluate(who), await there.evaluate(who)], ["here", "there"]);
    // A call that waits in the killed browser ends; the other browser is not affected.
    const waiting = await home.start(["await new Promise(() => globalThis.began = true)", "--page", two.id]);
    await there.waitForFunction(() => (globalThis as { began?: boolean }).began === true);
    await other.kill();
    assert.notEqual((await waiting.ended).code, 0);
    await until("its page is gone", async () =>
      (await home.pages()).find((row) => row.id === two.id && row.state === "gone"),
    );
    assert.equal(await output("who", "--page", one.id), "here\n");
    assert.equal((await output("browse", "--list")).trim().split("\n").length, 1);
    await until("one browser has nothing to tell it from another", async () =>
      (await home.pages()).find((row) => row.id === one.id && row.browser === undefined),
    );
  } finally {
    await other.close();
  }
});

test("two profiles have their own pairings, and each shows its own tabs", async () => {
  await person.paired();
  const other = await Person.open(home);
  try {
    await other.paired();
    const here = await person.visit(site.url("/shop"));
    await person.grant(here);
    const there = await other.visit(site.url("/mail"));
    await other.grant(there);
    const [one, two] = [await person.joined(here), await other.joined(there)];
    assert.equal(await output("document.title", "--page", one.id), "Shop\n");
    assert.equal(await output("document.title", "--page", two.id), "Mail\n");
    const listed = await output("browse", "--list");
    const rows = listed.trim().split("\n");
    assert.equal(rows.length, 2, listed);
    for (const { id } of [one, two])
      assert.equal(rows.filter((row) => row.endsWith(` 1 pages: ${id}`)).length, 1, listed);
    await other.context.close();
    await until("the other browser's page is gone", async () =>
      (await home.pages()).find((row) => row.id === two.id && row.state === "gone"),
    );
    assert.equal(await output("document.title", "--page", one.id), "Shop\n");
  } finally {
    await other.close();
  }
});

afterEach(async () => {
  for (const page of person.context.pages()) if (page !== person.desk) await page.close();
});
