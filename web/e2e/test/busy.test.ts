// A page that hangs delays only itself.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";

const EXIT_TIMEOUT = 124;

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/busy.html", { title: "Busy", tag: 'data-alias="busy"' });
  stage.site.page("/free.html", { title: "Free", tag: 'data-alias="free"' });
  await stage.visit("/busy.html");
  // Another site runs in another process: only the page hangs, not the browser.
  const page = await stage.context.newPage();
  await page.goto(stage.site.url("/free.html", "127.0.0.1"));
  await stage.joined(page);
});

after(() => stage.close());

test("a promise that never settles times out, and the page goes on", async () => {
  const { stdout, stderr, code } = await stage.home.eye("--page", "busy", "--timeout", "0.3", "new Promise(() => {})");
  assert.equal(stdout, "");
  assert.match(stderr, /^error: .*timeout/);
  assert.match(stderr, /^hint: /m);
  assert.equal(code, EXIT_TIMEOUT);
  assert.equal((await stage.home.eye("--page", "busy", "document.title")).stdout, "Busy\n");
});

test("an endless loop times out, and so do later calls, while another page answers", async () => {
  const looping = await stage.home.start(["--page", "busy", "--timeout", "1", "for (;;) {}"]);
  const meanwhile = await stage.home.eye("--page", "free", "document.title");
  assert.deepEqual(meanwhile, { stdout: "Free\n", stderr: "", code: 0 });
  assert.equal(looping.process.exitCode, null, "the loop is still under way");
  assert.equal((await looping.ended).code, EXIT_TIMEOUT);
  const [later, other] = await Promise.all([
    stage.home.eye("--page", "busy", "--timeout", "1", "1+1"),
    stage.home.eye("--page", "free", "1+1"),
  ]);
  assert.equal(later.code, EXIT_TIMEOUT);
  assert.equal(other.stdout, "2\n");
});
