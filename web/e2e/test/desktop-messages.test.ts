// Messages between agents and the desktop: topics, messages to an app, and the mailbox.

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

test('pub chat "hello" is in the chat, open or not', async () => {
  assert.equal(await desktop.output("pub", "chat", "hello"), "delivered to 1");
  await desktop.page.locator(".toast", { hasText: "hello" }).waitFor();
  assert.equal(await desktop.page.locator(".badge").textContent(), "1");
  await desktop.page.click(".desktop-icon[data-app=chat]");
  assert.equal(await desktop.page.locator(".chat-line p").textContent(), "hello");
  await desktop.page.locator(".badge").waitFor({ state: "hidden" });
  await desktop.output("pub", "chat", '{"text": "again"}');
  await desktop.page.locator(".chat-line p", { hasText: "again" }).waitFor();
});

test("sub chat hears what the person says", async () => {
  await desktop.page.click(".desktop-icon[data-app=chat]");
  await desktop.page.keyboard.type("is anybody there?");
  await desktop.page.keyboard.press("Enter");
  const received = JSON.parse(await desktop.output("sub", "chat", "--count", "1", "--json")) as {
    topic: string;
    message: string;
    as: string;
  };
  assert.deepEqual([received.topic, received.message, received.as], ["chat", "is anybody there?", "root"]);
});

test("topics of the page's own programs reach agents, and theirs the page", async () => {
  await desktop.output('ALGO.pubsub.subscribe("sum", m => ALGO.pubsub.respond(m, m.a + m.b)); 0');
  assert.equal(await desktop.output("pub", "sum", '{"a": 1, "b": 2}', "--reply"), "3");
  await desktop.output('ALGO.pubsub.publish("build", {ok: true}); 0');
  assert.equal(await desktop.output("sub", "build", "--count", "1"), '{"ok":true}');
});

test("two desktops chat with each other", async () => {
  const other = await Desktop.open(stage);
  await other.page.click(".desktop-icon[data-app=chat]");
  await desktop.page.click(".desktop-icon[data-app=chat]");
  await desktop.page.keyboard.type("over here");
  await desktop.page.keyboard.press("Enter");
  await other.page.locator(".chat-line p", { hasText: "over here" }).waitFor();
  assert.equal(await desktop.page.locator(".chat-line").count(), 1, "and there is no echo");
  await other.close();
});

test('send claude-eyes "analyze" is shown and answered, and sub claude hears it', async () => {
  await desktop.output('openSystemApp("files")');
  const answer = await desktop.output("send", "claude-eyes", "analyze");
  assert.match(
    answer,
    /^root's desktop, 2 windows: Files \d+×\d+ at \d+,\d+; Claude Eyes \(active\) \d+×\d+ at \d+,\d+$/,
  );
  assert.equal(await desktop.page.locator(".eyes-list li p").first().textContent(), "analyze");
  assert.equal(await desktop.output("sub", "claude", "--count", "1"), answer);
  const other = await desktop.eye("send", "solitaire", "x");
  assert.match(other.stderr, /no app solitaire\n.*its apps: `chat`, `files`/s);
});

test("what the page tells claude waits for who reads, once", async () => {
  await desktop.output('ALGO.pubsub.publish("claude", "first"); ALGO.pubsub.publish("claude", {n: 2}); 0');
  assert.equal(await desktop.output("read"), 'first\n{"n":2}');
  assert.equal(await desktop.output("read"), "");
});

test("write shows the person a message, and calls the bridge by its old name", async () => {
  await desktop.output("write", '{"msg":"hello"}');
  await desktop.page.locator(".toast", { hasText: '{"msg":"hello"}' }).waitFor();
  await desktop.output("write", '{"_bridge":"openApp","_args":["calendar"],"_id":7}');
  assert.deepEqual(JSON.parse(await desktop.output("read", "--wait", "5")), {
    success: true,
    opened: "calendar",
    name: "Calendar",
    _id: 7,
  });
  assert.equal(await desktop.page.locator(".window[data-app=calendar]").isVisible(), true);
  await desktop.output("write", '{"_bridge":"constructor"}');
  assert.deepEqual(JSON.parse(await desktop.output("read", "--wait", "5")), { error: "Unknown bridge command" });
});

test("paused, messages to apps and to the page are refused too", async () => {
  await desktop.pause();
  for (const verb of [
    ["send", "claude-eyes", "look"],
    ["write", "hi"],
  ]) {
    const { stderr, code } = await desktop.eye(...verb);
    assert.equal(code, 4, verb[0]);
    assert.match(stderr, /^error: the page \S+ is paused: `the person at this desktop has paused agents`\n/);
  }
  assert.equal(await desktop.page.locator(".window").count(), 0);
});
