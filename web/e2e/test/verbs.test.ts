// The reading verbs, and the names of pages and frames.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";

let stage: Stage;
let shop: Visit;
let blog: Visit;

const page = (name: string, ...args: string[]) => stage.home.eye("--page", name, ...args);

before(async () => {
  stage = await Stage.open();
  const frames = `<iframe id="inner" name="named" src="/inner.html"></iframe><iframe src="${stage.site.url("/inner.html?far", "127.0.0.1")}"></iframe>`;
  stage.site.page("/shop.html", { title: "The Shop", tag: 'data-alias="shop"', body: frames });
  stage.site.page("/blog.html", { title: "My Blog", tag: 'data-alias="diary"' });
  stage.site.page("/inner.html", { title: "Inner", tag: false });
  shop = await stage.visit("/shop.html");
  blog = await stage.visit("/blog.html");
});

after(() => stage.close());

test("--page takes an id, an alias, and part of a title or URL", async () => {
  for (const name of [shop.session, "shop", "the sh", "/SHOP.html"])
    assert.equal((await page(name, "document.title")).stdout, "The Shop\n", name);
  for (const name of [blog.session, "diary", "My Blog", "blog.html"])
    assert.equal((await page(name, "document.title")).stdout, "My Blog\n", name);
});

test("EYE_PAGE names the page, and --page goes before it", async () => {
  const env = { EYE_PAGE: "diary" };
  assert.equal((await stage.home.eyeWith({ env }, "document.title")).stdout, "My Blog\n");
  assert.equal((await stage.home.eyeWith({ env }, "--page", "shop", "document.title")).stdout, "The Shop\n");
});

test("use chooses the page for this folder and no other, and pages marks it", async () => {
  const used = await stage.home.eyeWith({ folder: "one" }, "use", "diary");
  assert.match(used.stdout, /^\* diary {2}My Blog/);
  await stage.home.eyeWith({ folder: "two" }, "use", "shop");
  assert.equal((await stage.home.eyeWith({ folder: "one" }, "document.title")).stdout, "My Blog\n");
  assert.equal((await stage.home.eyeWith({ folder: "two" }, "document.title")).stdout, "The Shop\n");
  assert.match((await stage.home.eyeWith({ folder: "one" }, "pages")).stdout, /^\* diary /m);
});

test("--frame takes a selector, a name, an index and part of a URL", async () => {
  for (const frame of ["#inner", "named", "0", "/inner.html"]) {
    assert.deepEqual(
      await page("shop", "--frame", frame, "document.title"),
      { stdout: "Inner\n", stderr: "", code: 0 },
      frame,
    );
  }
  await page("shop", "--frame", "named", "let kept = await 7");
  assert.equal((await page("shop", "--frame", "named", "kept + 1")).stdout, "8\n");
  assert.equal((await page("shop", "typeof kept")).stdout, "undefined\n");
});

test("a frame that is not there lists those that are; one of another origin says so", async () => {
  const missing = await page("shop", "--frame", "#nope", "1");
  assert.match(missing.stderr, /^error: page: no frame matches "#nope"$/m);
  assert.match(missing.stderr, /^hint: .*#inner/m);
  assert.notEqual(missing.code, 0);
  const far = await page("shop", "--frame", "1", "1");
  assert.match(far.stderr, /^error: page: .*another origin/m);
  assert.equal(far.code, 1, "only the hub says that something is not allowed");
});

test("fire returns at once and runs", async () => {
  assert.deepEqual(await page("shop", "fire", "window.fired = (window.fired ?? 0) + 1; new Promise(() => {})"), {
    stdout: "",
    stderr: "",
    code: 0,
  });
  assert.equal((await page("shop", "window.fired")).stdout, "1\n");
});

test("fire in a frame runs in the frame", async () => {
  assert.equal((await page("shop", "--frame", "named", "fire", "window.fired = 'in the frame'")).code, 0);
  assert.equal((await page("shop", "--frame", "named", "window.fired")).stdout, "in the frame\n");
});

test("async prints an id, and collect prints what came of it", async () => {
  assert.equal(
    (await page("shop", "async", "--id", "slow", "new Promise((done) => { window.finish = done })")).stdout,
    "slow\n",
  );
  const numbered = (await page("shop", "async", "await 6 * 7")).stdout.trim();
  assert.match(numbered, /^\w{1,19}$/);
  await page("shop", "async", "--id", "bad", 'throw new Error("later")');
  assert.equal((await stage.home.eye("collect", numbered)).stdout, `${numbered}:42\n`);
  const pending = await stage.home.eye("collect", "slow", "--timeout", "0.2");
  assert.match(pending.stderr, /^error: still pending: slow$/m);
  assert.equal(pending.code, 124);
  await page("shop", "window.finish('done')");
  const rest = await stage.home.eye("collect");
  assert.deepEqual(rest.stdout.trim().split("\n").sort(), ["bad!:later", "slow:done"]);
  assert.equal(rest.code, 1);
});

test("what one folder keeps another cannot collect", async () => {
  await stage.home.eyeWith({ folder: "one" }, "--page", "shop", "async", "--id", "mine", "1");
  assert.doesNotMatch((await stage.home.eyeWith({ folder: "two" }, "collect", "--timeout", "0.2")).stdout, /mine/);
  assert.equal((await stage.home.eyeWith({ folder: "one" }, "collect", "mine")).stdout, "mine:1\n");
});

test("batch answers under ids and numbers; --ordered keeps the order of the lines", async () => {
  const stdin = [
    "new Promise((done) => setTimeout(done, 50, 'slow'))",
    "title:document.title",
    '"1 +\\n1"',
    "throw new Error('x')",
    "",
  ].join("\n");
  const ordered = await stage.home.eyeWith({ stdin }, "--page", "shop", "batch", "--ordered");
  assert.equal(ordered.stdout, "slow\ntitle:The Shop\n2\n!:x\n");
  assert.equal(ordered.code, 1);
  const asTheyCome = await stage.home.eyeWith({ stdin }, "--page", "shop", "batch");
  assert.equal(asTheyCome.stdout, "title:The Shop\n3:2\n4!:x\n1:slow\n");
});

test("10,000 lines of batch are each answered once", async () => {
  const numbers = Array.from({ length: 10_000 }, (_, index) => index);
  const { stdout, code } = await stage.home.eyeWith(
    { stdin: numbers.map((n) => `${String(n)} + 1`).join("\n") },
    "--page",
    "shop",
    "batch",
    "--ordered",
  );
  assert.equal(stdout, numbers.map((n) => `${String(n + 1)}\n`).join(""));
  assert.equal(code, 0);
});

test("repl evaluates line by line, goes on after an error, and changes its page", async () => {
  const stdin = ["let n = 20", "n + 1", "nope", "document.title", ".page diary", "document.title", ".exit", "9"].join(
    "\n",
  );
  const { stdout, stderr, code } = await stage.home.eyeWith({ stdin, folder: "repl" }, "--page", "shop", "repl");
  assert.match(stdout, /^undefined\n21\nThe Shop\n\* diary .*\nMy Blog\n$/);
  assert.match(stderr, /^error: page: ReferenceError: nope is not defined/m);
  assert.equal(code, 0);
});
