// Hubs that stop or crash: open calls get an error, and pages reconnect by themselves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";

const EXIT_ABSENT = 3;

let stage: Stage;
let visit: Visit;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", { title: "Survivor" });
  visit = await stage.visit("/");
});

after(() => stage.close());

async function inMidCall(kill: () => Promise<unknown>, mark: string): Promise<{ stderr: string; code: number | null }> {
  const waiting = await stage.home.start([`window.${mark} = true; new Promise(() => {})`]);
  await visit.page.waitForFunction((name) => name in window, mark);
  await kill();
  return waiting.ended;
}

test("a hub killed in mid-call: the CLI says so and exits 3, and the next call starts a hub and is answered by the same page", async () => {
  await visit.page.evaluate(() => Object.assign(window, { mark: "still here" }));
  const { stderr, code } = await inMidCall(() => stage.home.killHub(), "killed");
  assert.match(stderr, /^error: the hub went away before it answered$/m);
  assert.match(stderr, /^hint: .*may have run/m);
  assert.equal(code, EXIT_ABSENT);
  assert.equal(await stage.home.status(), undefined);
  assert.deepEqual(await stage.home.eye("window.mark"), { stdout: "still here\n", stderr: "", code: 0 });
  assert.equal(await stage.joined(visit.page), visit.session);
});

test("a hub that is stopped ends its calls with a reason", async () => {
  const { stderr, code } = await inMidCall(() => stage.home.eye("down"), "stopped");
  assert.match(stderr, /^error: the hub shut down before the page answered$/m);
  assert.equal(code, EXIT_ABSENT);
});

test("after down and up the page is back by itself, under its session", async () => {
  await stage.home.eye("down");
  await stage.home.up();
  assert.deepEqual(await stage.home.eye("window.mark"), { stdout: "still here\n", stderr: "", code: 0 });
  assert.equal(await stage.joined(visit.page), visit.session);
});

test("a page that was opened before its hub joins when the hub starts", async () => {
  const { session } = visit;
  await stage.home.eye("down");
  await visit.page.waitForFunction(() => !(globalThis as { eye?: { connected: boolean } }).eye?.connected);
  await stage.home.up();
  assert.equal(await stage.joined(visit.page), session);
});

test("many commands at once without a hub start one hub, and all are answered", async () => {
  await stage.home.eye("down");
  const results = await Promise.all(Array.from({ length: 10 }, (_, call) => stage.home.eye(`${String(call)} + 1`)));
  assert.deepEqual(
    results.map(({ stdout, stderr }) => stdout || stderr),
    Array.from({ length: 10 }, (_, call) => `${String(call + 1)}\n`),
  );
});
