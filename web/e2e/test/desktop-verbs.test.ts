// The verbs on the desktop, as written for the bridge with which this project began: see, click, drag, press, fill.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Desktop } from "../stage/desktop.js";
import { Stage } from "../stage/stage.js";

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

test("query '.desktop-icon' tells what the first icon is, --all how many there are", async () => {
  const first = JSON.parse(await desktop.output("query", ".desktop-icon")) as {
    tag: string;
    text: string;
    rect: { width: number };
  };
  assert.deepEqual([first.tag, first.text, first.rect.width], ["button", "Chat", 96]);
  assert.equal((JSON.parse(await desktop.output("query", ".desktop-icon", "--all")) as unknown[]).length, 7);
});

test("click '#start-button' opens the start menu, and says so", async () => {
  assert.match(await desktop.output("click", "#start-button"), /\+ dialog Start/);
  assert.equal(await desktop.page.locator("#start-menu").isVisible(), true);
});

test("click '#button', which is not there, says what there is", async () => {
  const { stderr, code } = await desktop.eye("click", "#button", "--timeout", "1");
  assert.match(stderr, /^error: page: #button: nothing there/);
  assert.equal(code, 124);
});

test("look names every icon, button and window once", async () => {
  await desktop.output('openSystemApp("chat")');
  const seen = await desktop.output("look");
  for (const line of [
    "nav Apps:",
    "[javascript.ide]",
    "[+ Start]",
    "[+ Activity: Agents]",
    "dialog Chat:",
    "[Close]",
    "Message: _",
    "[Send]",
  ])
    assert.ok(seen.includes(line), `${line} in\n${seen}`);
});

test("a window is dragged by its bar, and its new place is in the state", async () => {
  await desktop.output('openSystemApp("files")');
  const { x, y } = await desktop.box(".window");
  const bar = await desktop.box(".window-bar");
  // Drags the middle of the bar to that point of the screen.
  await desktop.output(
    "drag",
    ".window-bar",
    `${String(bar.x + bar.width / 2 + 100)},${String(bar.y + bar.height / 2 + 50)}`,
  );
  await desktop.shows("it is there", ({ windows: [row] }) =>
    row?.x === x + 100 && row.y === y + 50 ? true : undefined,
  );
});

test("a message is filled in and sent, and a key closes the window", async () => {
  await desktop.output('openSystemApp("chat")');
  await desktop.output("fill", ".chat-form input", "hello");
  await desktop.output("press", "Enter");
  assert.equal(await desktop.page.locator(".chat-line.is-mine p").textContent(), "hello");
  await desktop.output("press", "Escape");
  await desktop.output("press", "Escape");
  assert.equal(await desktop.output("windows.length"), "0");
});

test("paused, no agent looks or clicks", async () => {
  await desktop.pause();
  for (const verb of [["look"], ["click", "#start-button"], ["query", ".desktop-icon"]])
    assert.equal((await desktop.eye(...verb)).code, 4, verb[0]);
  assert.equal(await desktop.page.locator("#start-menu").isVisible(), false);
});
