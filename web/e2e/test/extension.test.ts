// Tabs of a person's own browser through the extension, loaded unpacked into a real Chromium: what is granted, and what
// agents do there.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { MARK, Person } from "../stage/extension.js";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";
import { until } from "../../harness/until.js";

let home: Home;
let site: Site;
let person: Person;

/** Forbids all scripts but one, all connections, `eval`, and text that becomes code. */
const STRICT = "default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";

const BODY = `<h1>Shop</h1><button id="go">Go</button><button id="ask">Ask</button><p id="out"></p>
<input id="file" type="file"><a href="/mail">Mail</a><script nonce="a">
document.getElementById("go").addEventListener("click", (event) => {
  document.getElementById("out").textContent = "clicked:" + event.isTrusted;
});
document.getElementById("ask").addEventListener("click", () => {
  document.getElementById("out").textContent = "answer:" + confirm("Sure?");
});
</script>`;

before(async () => {
  home = await Home.open();
  await home.up();
  site = await Site.open(home.url);
  site.page("/shop", { title: "Shop", body: BODY, tag: false, headers: { "content-security-policy": STRICT } });
  site.page("/mail", { title: "Mail", body: "<h1>Mail</h1>", tag: false });
  person = await Person.open(home);
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

/** Waits until no page is connected. */
async function nothingIsThere(): Promise<void> {
  await until("no page is connected", async () =>
    (await home.pages()).every((row) => row.state === "gone") ? true : undefined,
  );
}

test("a granted tab is a page: eval, look, a trusted click and a picture, under a strict policy", async () => {
  const mail = await person.visit(site.url("/mail"));
  const shop = await person.visit(site.url("/shop"));
  assert.deepEqual(await home.pages(), [], "nothing is granted");
  await person.grant(shop);
  const { id } = await person.joined(shop);
  const rows = await home.pages();
  assert.deepEqual([rows.length, rows[0]?.url], [1, shop.url()], "the other tab stays invisible");
  assert.equal(await output("document.title", "--page", id), "Shop\n");
  assert.match(await output("look"), /\[Go\]/);
  await output("click", "text=Go");
  assert.equal(await output("out.textContent"), "clicked:true\n");
  const note = join(home.folder, "work", "note.txt");
  await writeFile(note, "hello");
  await output("upload", "#file", note);
  assert.equal(await output("file.files[0].name + await file.files[0].text()"), "note.txthello\n", "by its content");
  assert.match(await output("downloads"), /not told to eye/);
  const file = join(home.folder, "shop.png");
  await output("shot", "-o", file);
  assert.equal((await readFile(file)).subarray(1, 4).toString(), "PNG");
  await mail.close();
  await output("close");
  await until("the tab is closed", () => (shop.isClosed() ? true : undefined));
  await nothingIsThere();
});

test("a tab that is granted by itself stays granted wherever it goes, and one that a site grants only there", async () => {
  const alone = await person.visit(site.url("/shop"));
  await person.grant(alone);
  const { id } = await person.joined(alone);
  assert.match(await output("goto", site.url("/mail", "127.0.0.1"), "--page", id), /Mail/);
  assert.equal(await output("document.title", "--page", id), "Mail\n");
  await alone.close();
  await nothingIsThere();
  const one = await person.visit(site.url("/shop"));
  await person.grant(one, "site");
  const two = await person.visit(site.url("/mail"));
  const other = await person.joined(two);
  const first = await person.joined(one);
  // The client also runs in the next document, whose policy forbids text that becomes code.
  await output("globalThis.before = 1", "--page", first.id);
  await one.reload();
  assert.equal(await output("typeof before", "--page", first.id), "undefined\n");
  assert.match(await output("look", "--page", first.id), /\[Go\]/);
  await two.goto(site.url("/mail", "127.0.0.1"));
  await until("the tab left what is granted", async () =>
    (await home.pages()).find((row) => row.id === other.id && row.state === "gone"),
  );
  const refused = await home.eye("document.title", "--page", other.id);
  assert.notEqual(refused.code, 0);
  const row = (await home.pages()).find((row) => row.id === other.id);
  assert.equal(row?.url, site.url("/mail"), "where it went was never told");
  await two.goto(site.url("/mail"));
  assert.equal((await person.joined(two)).id, other.id, "it is the same page when it is back");
  const popup = await person.popup(one);
  await popup.click("#site");
  await popup.waitForSelector("text=Let agents use this tab");
  await popup.close();
  await nothingIsThere();
  await one.close();
  await two.close();
});

test("a tab that is moved to another window stays the page that it was, with hands", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await output("globalThis.kept = 42", "--page", id);
  await person.moveOut(page);
  assert.equal(await output("kept", "--page", id), "42\n");
  await output("click", "text=Go", "--page", id);
  assert.equal(await output("out.textContent", "--page", id), "clicked:true\n");
  await page.close();
});

test("pages say in which window they are where there are several", async () => {
  const shop = await person.visit(site.url("/shop"));
  const mail = await person.visit(site.url("/mail"));
  for (const page of [shop, mail]) {
    await person.grant(page);
    await person.joined(page);
  }
  const windows = async () => (await home.pages()).filter((row) => row.state === "connected").map((row) => row.window);
  assert.deepEqual(await windows(), [undefined, undefined]);
  assert.ok(!(await output("pages")).includes("window"));
  await person.moveOut(mail);
  await until("both say theirs", async () => ((await windows()).every((one) => one !== undefined) ? true : undefined));
  const { window } = await person.joined(mail);
  assert.notEqual(window, (await person.joined(shop)).window);
  const row = (await output("pages")).split("\n").find((line) => line.includes("/mail"));
  assert.ok(row?.includes(`, window ${String(window)}`), row);
  // The browser is named only if there are several.
  assert.ok((await home.pages()).every((one) => one.browser === undefined));
  await shop.close();
  await mail.close();
});

test("a file of the machine is not granted, for a tab that shows one can be sent to any other", async () => {
  const file = join(home.folder, "note.html");
  await writeFile(file, "<title>Note</title>");
  const note = await person.visit(`file://${file}`);
  const popup = await person.popup(note);
  await popup.waitForSelector("#tab[disabled]");
  assert.match((await popup.textContent("#origin")) ?? "", /cannot open this page/);
  assert.equal(await popup.isVisible("#whole"), false);
  await popup.close();
  await note.close();
});

test("one click stops it: what waits ends, and the tab is gone for agents", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await until("the badge is on", async () => ((await person.badge(page)) === "on" ? true : undefined));
  const waiting = await home.start(["await new Promise(() => globalThis.began = true)", "--page", id]);
  await page.waitForFunction(() => (globalThis as { began?: boolean }).began === true);
  await person.click(page);
  const { code, stderr } = await waiting.ended;
  assert.notEqual(code, 0);
  assert.match(stderr, /error: /);
  await nothingIsThere();
  assert.equal(await person.badge(page), "");
  assert.notEqual((await home.eye("document.title", "--page", id)).code, 0);
  await person.grant(page);
  assert.equal((await person.joined(page)).id, id);
  await page.close();
});

test("a badge and the page's title show that an agent was there, and no agent reads that", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  await until("the badge rests", async () => ((await person.badge(page)) === "on" ? true : undefined));
  await output("1 + 1", "--page", id);
  assert.equal(await person.badge(page), "●");
  await until("the title is marked", async () => ((await page.title()) === `${MARK}Shop` ? true : undefined));
  assert.equal(await output("document.title", "--page", id), "Shop\n");
  await until("the title is marked again", async () => ((await page.title()) === `${MARK}Shop` ? true : undefined));
  assert.equal((await home.pages()).find((row) => row.id === id)?.title, "Shop");
  await until("the mark is gone", async () => ((await page.title()) === "Shop" ? true : undefined));
  await page.close();
});

test("dialogs are told and answered, and a navigation keeps the page", async () => {
  const page = await person.visit(site.url("/shop"));
  // Without a listener, playwright would answer the dialog.
  page.on("dialog", () => undefined);
  await person.grant(page);
  const { id } = await person.joined(page);
  assert.match(await output("click", "text=Ask", "--accept", "--page", id), /Sure\?/);
  assert.equal(await output("out.textContent", "--page", id), "answer:true\n");
  const { code, stderr } = await home.eye("confirm('Really?')", "--page", id);
  assert.notEqual(code, 0);
  assert.match(stderr, /Really\?/);
  assert.match(await output("dialog", "--dismiss", "--page", id), /dismissed/);
  assert.match(await output("click", "text=Mail", "--page", id), /Mail/);
  assert.equal(await output("document.title", "--page", id), "Mail\n");
  await output("goto", "/shop", "--page", id);
  assert.equal(await output("document.title", "--page", id), "Shop\n");
  await page.close();
});
