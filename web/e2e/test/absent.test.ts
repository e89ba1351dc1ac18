// Calls without a page, with too many pages to choose from, and to the wrong page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";

const EXIT_ABSENT = 3;

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/one.html", { title: "Same one" });
  stage.site.page("/two.html", { title: "Same two" });
});

after(() => stage.close());

test("no page: the error says how one joins, and exits 3", async () => {
  const { stdout, stderr, code } = await stage.home.eye("1+1");
  assert.equal(stdout, "");
  assert.match(stderr, /^error: no page is connected$/m);
  assert.match(stderr, /^hint: .*eye\.js.*`eye status`/m);
  assert.equal(code, EXIT_ABSENT);
});

test("status shows the line that lets a page join, with the port this hub really has", async () => {
  const { stdout } = await stage.home.eye("status");
  assert.match(stdout, new RegExp(`<script src="http://[a-z0-9.]+:${String(stage.home.port)}/eye\\.js"></script>`));
});

test("no page: fire says so too", async () => {
  assert.equal((await stage.home.eye("fire", "1+1")).code, EXIT_ABSENT);
});

test("two pages and no choice made: the error lists both, and exits 3", async () => {
  const [one, two] = [await stage.visit("/one.html"), await stage.visit("/two.html")];
  const { stderr, code } = await stage.home.eye("1+1");
  assert.match(stderr, /^error: there are 2 pages: /);
  for (const part of [one.session, two.session, "Same one", "Same two"]) assert.ok(stderr.includes(part), stderr);
  assert.match(stderr, /^hint: .*--page/m);
  assert.equal(code, EXIT_ABSENT);
});

test("a part that fits two pages of one origin means the one used last", async () => {
  assert.equal((await stage.home.eye("--page", "Same one", "document.title")).stdout, "Same one\n");
  assert.equal((await stage.home.eye("--page", "same", "document.title")).stdout, "Same one\n");
  assert.equal((await stage.home.eye("--page", "Same two", "document.title")).stdout, "Same two\n");
  assert.equal((await stage.home.eye("--page", "same", "document.title")).stdout, "Same two\n");
});

test("a name that fits none lists those that are there", async () => {
  const { stderr, code } = await stage.home.eye("--page", "nobody", "1+1");
  assert.match(stderr, /^error: no page fits `nobody`/);
  assert.ok(stderr.includes("Same one") && stderr.includes("Same two"));
  assert.equal(code, EXIT_ABSENT);
});

test("a page that was closed ends its calls at once and is told as gone", async () => {
  const { page, session } = await stage.visit("/one.html");
  const waiting = await stage.home.start(["--page", session, "window.asked = true; new Promise(() => {})"]);
  await page.waitForFunction(() => "asked" in window);
  await page.close();
  const { stderr, code } = await waiting.ended;
  assert.match(stderr, /^error: the page left before it answered$/m);
  assert.equal(code, EXIT_ABSENT);
  const later = await stage.home.eye("--page", session, "1+1");
  assert.match(later.stderr, /^error: the page .* (left|has not come back)/);
  assert.equal(later.code, EXIT_ABSENT);
});

test("status and down without a hub start none", async () => {
  await stage.home.eye("down");
  assert.deepEqual(await stage.home.eye("down"), { stdout: "no hub runs\n", stderr: "", code: 0 });
  const { stderr, code } = await stage.home.eye("status");
  assert.match(stderr, /^error: no hub runs$/m);
  assert.equal(code, EXIT_ABSENT);
});
