// Frames that load eye.js themselves: pages of their own, called only by name.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";
import { until } from "../../harness/until.js";

let stage: Stage;
let top: Visit;

before(async () => {
  stage = await Stage.open();
  const { site } = stage;
  const sandboxed = '<iframe sandbox="allow-scripts" src="/inner.html?sandboxed"></iframe>';
  const trusted = '<iframe sandbox="allow-scripts allow-same-origin" src="/inner.html?trusted"></iframe>';
  site.page("/", {
    title: "Top",
    body: `<iframe src="/inner.html?near"></iframe><iframe src="${site.url("/inner.html?far", "127.0.0.1")}"></iframe>${sandboxed}${trusted}`,
  });
  site.page("/inner.html", { title: "Inner" });
  top = await stage.visit("/");
  for (const part of ["?near", "?far"]) await frame(part);
});

after(() => stage.close());

function frame(part: string) {
  return until(`the frame ${part} has joined`, async () =>
    (await stage.home.pages()).find(({ url, state }) => url.includes(part) && state === "connected"),
  );
}

test("frames have sessions of their own", async () => {
  const ids = [top.session, (await frame("?near")).id, (await frame("?far")).id];
  assert.equal(new Set(ids).size, 3);
});

test("a person sees whose frame it is", async () => {
  // The frame queries its parent when it joins; the parent has certainly joined when the frame is reloaded.
  await stage.home.eye("document.querySelector('iframe').contentWindow.location.reload()");
  await until("the frame tells", async () => (await frame("?near")).parent === top.session || undefined);
  assert.match((await stage.home.eye("pages")).stdout, new RegExp(`near .*frame of ${top.session}`, "u"));
  assert.equal((await frame("?far")).parent, undefined);
});

test("who names no page gets the whole page, not a frame in it", async () => {
  assert.deepEqual(await stage.home.eye("document.title"), { stdout: "Top\n", stderr: "", code: 0 });
});

test("a frame is asked by name, one of another origin too", async () => {
  assert.equal((await stage.home.eye("--page", "?near", "location.search")).stdout, "?near\n");
  assert.equal(
    (await stage.home.eye("--page", "?far", "location.hostname + location.search")).stdout,
    "127.0.0.1?far\n",
  );
});

test("frames keep their sessions when the page is reloaded", async () => {
  const before = [(await frame("?near")).id, top.session];
  await top.page.reload();
  assert.deepEqual([(await frame("?near")).id, await stage.joined(top.page)], before);
});

test("a sandboxed frame has no origin and does not join", async () => {
  assert.equal((await stage.home.pages()).filter(({ url }) => url.includes("sandboxed")).length, 0);
});

test("a sandboxed frame that keeps its origin joins like any other", async () => {
  assert.equal((await stage.home.eye("--page", (await frame("?trusted")).id, "location.search")).stdout, "?trusted\n");
});
