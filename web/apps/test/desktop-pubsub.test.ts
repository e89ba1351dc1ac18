// Topics in one page: results, order, waiting and its end, and the way beyond the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Pubsub, type Relay } from "../desktop/src/pubsub.js";

function heard(pubsub: Pubsub, topic: string): unknown[] {
  const messages: unknown[] = [];
  pubsub.subscribe(topic, (message, { from }) => messages.push([message, from]));
  return messages;
}

test("everyone who listens hears a message once, and how many is said", () => {
  const pubsub = new Pubsub();
  const [one, two] = [heard(pubsub, "news"), heard(pubsub, "news")];
  assert.deepEqual(pubsub.publish("news", "x", {}, "ada"), { status: "delivered", count: 2 });
  assert.deepEqual([one, two], [[["x", "ada"]], [["x", "ada"]]]);
});

test("a listener that throws does not stop the others", (context) => {
  context.mock.method(console, "error", () => undefined);
  const pubsub = new Pubsub();
  pubsub.subscribe("news", () => {
    throw new Error("no");
  });
  const messages = heard(pubsub, "news");
  assert.deepEqual(pubsub.publish("news", 1), { status: "delivered", count: 2 });
  assert.deepEqual(messages, [[1, "page"]]);
});

test("a message without subscriber waits for its time and no longer, in order, for the first subscriber", () => {
  let now = 0;
  const pubsub = new Pubsub(() => now);
  assert.deepEqual(pubsub.publish("later", "short", { timeout: 10 }), { status: "queued", reason: "no subscribers" });
  pubsub.publish("later", "a");
  pubsub.publish("later", "b");
  now = 10;
  assert.deepEqual(heard(pubsub, "later"), [
    ["a", "page"],
    ["b", "page"],
  ]);
  assert.deepEqual(heard(pubsub, "later"), [], "each is given once");
  now = 6000;
  pubsub.publish("other", "late");
  now = 11_000;
  assert.deepEqual(heard(pubsub, "other"), []);
});

test("without a queue it is dropped", () => {
  assert.deepEqual(new Pubsub().publish("nobody", 1, { queue: false }), {
    status: "dropped",
    reason: "no subscribers",
  });
});

test("what waits is bounded: the oldest gives way", () => {
  const pubsub = new Pubsub();
  for (let n = 0; n < 300; n++) pubsub.publish("many", n);
  const messages = heard(pubsub, "many");
  assert.deepEqual([messages.length, messages[0]], [256, [44, "page"]]);
  for (let n = 0; n < 300; n++) pubsub.publish(`topic ${String(n)}`, n);
  assert.deepEqual([heard(pubsub, "topic 43"), heard(pubsub, "topic 44")], [[], [[44, "page"]]]);
});

test("an app that is not open is opened for its message", () => {
  const pubsub = new Pubsub();
  let opened: unknown[] | undefined;
  pubsub.register("mail", { openFn: () => (opened = heard(pubsub, "mail")) });
  assert.deepEqual(pubsub.apps, ["mail"]);
  assert.deepEqual(pubsub.publish("mail", 1), { status: "queued", reason: "no subscribers" });
  assert.deepEqual(pubsub.publish("mail", 2, { autoOpen: true }), { status: "queued", reason: "app opening" });
  assert.deepEqual(opened, [
    [1, "page"],
    [2, "page"],
  ]);
  pubsub.unregister("mail");
  assert.deepEqual(pubsub.apps, []);
});

test("a request is answered by the first responder, or ends", async () => {
  const pubsub = new Pubsub();
  pubsub.subscribe("double", (message) => void pubsub.respond(message, (message as { message: number }).message * 2));
  assert.equal(await pubsub.request("double", 21), 42);
  await assert.rejects(pubsub.request("silence", {}, { timeout: 1 }), /^Error: Request timeout$/);
  assert.deepEqual(pubsub.respond("no request", 1), { status: "dropped", reason: "no request" });
});

test("who no longer listens hears nothing", () => {
  const pubsub = new Pubsub();
  const messages: unknown[] = [];
  const end = pubsub.subscribe("news", (message) => messages.push(message));
  end();
  end();
  assert.deepEqual(pubsub.publish("news", 1), { status: "queued", reason: "no subscribers" });
  assert.deepEqual(messages, []);
});

test("over a relay topics reach others, what comes from there is not sent back, and activity stays here", () => {
  const sent: unknown[] = [];
  const open = new Map<string, (message: unknown, from: string) => void>();
  const relay: Relay = {
    publish: (topic, message, options) => void sent.push([topic, message, options]),
    subscribe(topic, deliver) {
      open.set(topic, deliver);
      return () => void open.delete(topic);
    },
  };
  const pubsub = new Pubsub();
  const before = heard(pubsub, "chat");
  pubsub.join(relay);
  const end = pubsub.subscribe("after", () => undefined);
  assert.deepEqual([...open.keys()], ["chat", "after"]);
  open.get("chat")?.("hello", "agent");
  assert.deepEqual(before, [["hello", "agent"]]);
  assert.deepEqual(sent, []);
  pubsub.publish("chat", "hi", { timeout: 9 }, "root");
  pubsub.subscribe("eye-activity", () => undefined);
  pubsub.publish("eye-activity", "a call");
  assert.deepEqual(sent, [["chat", "hi", { from: "root", queue: true, timeout: 9 }]]);
  end();
  assert.deepEqual([...open.keys()], ["chat"]);
});
