// The activity light: the person sees the agents' calls on the desktop, and can pause them.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Desktop } from "../stage/desktop.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const REFUSED =
  /^error: the page \S+ is paused: `the person at this desktop has paused agents`\nhint: ask the person at the page to resume\n$/;

let stage: Stage;
let desktop: Desktop;

before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
beforeEach(async () => {
  desktop = await Desktop.open(stage);
});
afterEach(() => desktop.close());

const status = (): Promise<string | null> => desktop.page.getAttribute("#activity-light", "data-status");
const lit = (wanted: string): Promise<true> =>
  until(`the light is ${wanted}`, async () => ((await status()) === wanted ? true : undefined));
/** The hub learns of the person's click a moment later, and refuses calls to the page until then. */
const resumed = (code: string): Promise<string> =>
  until("agents are let in again", async () => {
    const { stdout, stderr, code: exit } = await desktop.eye(code);
    if (exit !== 0) assert.match(stderr, REFUSED);
    return exit === 0 ? stdout.trimEnd() : undefined;
  });
/** The calls in the light's list, newest first. */
const listed = (): Promise<(string | null)[][]> =>
  desktop.page
    .locator("#activity .call")
    .evaluateAll((rows) =>
      rows.map((row) => [
        row.className,
        ...[".call-text", ".call-answer"].map((part) => row.querySelector(part)?.textContent ?? null),
      ]),
    );

test("every call is listed with what came of it, the last first", async () => {
  await lit("on");
  await desktop.output("getUser()");
  await desktop.eye("nonsense");
  await desktop.output("call", "list_files", "path=scripts");
  await desktop.output("fire", "1 + 1");
  await desktop.page.click("#activity-light");
  const calls = await until("all four are listed", async () => {
    const rows = await listed();
    return rows.length === 4 && rows.every(([name]) => name !== "call is-running") ? rows : undefined;
  });
  assert.deepEqual(calls, [
    ["call is-done", "1 + 1", ""],
    ["call is-done", 'list_files {"path":"scripts"}', "→ scripts/hello.js 99"],
    ["call is-failed", "nonsense", "! ReferenceError: nonsense is not defined"],
    ["call is-done", "getUser()", "→ root"],
  ]);
  await desktop.page.click("#activity button:has-text('Show all')");
  assert.equal(await desktop.page.locator(".window[data-app=agents] .call").count(), 4);
  assert.equal(await desktop.page.locator(".figure b").first().textContent(), "4");
});

test("the light blinks with a call", async () => {
  await desktop.page.evaluate(() => {
    const dot = document.querySelector(".light-dot");
    if (dot === null) throw new Error("no light");
    const animate = dot.animate.bind(dot);
    dot.animate = (...what) => {
      document.documentElement.dataset.blinks = String(Number(document.documentElement.dataset.blinks ?? "0") + 1);
      return animate(...what);
    };
  });
  // Calls within one frame cause one blink, so the test waits for each.
  for (const blinks of ["1", "2"]) {
    await desktop.output(blinks);
    await until(`it has blinked ${blinks}`, async () =>
      (await desktop.page.getAttribute("html", "data-blinks")) === blinks ? true : undefined,
    );
  }
});

test("ten thousand calls in flight are all counted, and do not stop the desktop", async () => {
  const stdin = Array.from({ length: 10_000 }, (_, n) => String(n)).join("\n");
  const { stdout } = await stage.home.eyeWith({ stdin }, "--page", desktop.session, "batch", "--ordered");
  assert.equal(stdout.trim().split("\n").at(-1), "9999");
  await desktop.page.click("#activity-light");
  await desktop.page.locator("#activity footer", { hasText: "10,000 calls" }).waitFor();
});

test("paused, the page refuses every kind of call and says why; resumed, it answers", async () => {
  await desktop.pause();
  await lit("paused");
  for (const line of [["document.title"], ["call", "open_app", "app=chat"], ["fire", 'openSystemApp("chat")']]) {
    const { stdout, stderr, code } = await desktop.eye(...line);
    assert.deepEqual([stdout, code], ["", 4], line[0]);
    assert.match(stderr, REFUSED);
  }
  assert.equal(await desktop.page.locator(".window").count(), 0);
  assert.equal(await desktop.output("state", "user"), "root", "what was published may still be read");
  await desktop.page.click("#activity .switch");
  assert.equal(await resumed("document.title"), "Desktop");
});

test("a pause outlives a reload, and is ended by the person only", async () => {
  await desktop.page.click("#activity-light");
  await desktop.page.click("#activity .switch");
  await desktop.reload();
  assert.equal(await status(), "paused");
  assert.equal((await desktop.eye("1")).code, 4);
  await desktop.page.click("#activity-light");
  await desktop.page.click("#activity .switch");
  assert.equal(await resumed("1"), "1");
});

test("the light shows when there is no hub, and when it is back", async () => {
  await lit("on");
  await stage.home.eye("down");
  await lit("off");
  await stage.home.up();
  await lit("on");
  await stage.joined(desktop.page);
  assert.equal(await desktop.output("getUser()"), "root");
});
