// When messages are sent, and what they contain.

import assert from "node:assert/strict";
import { test } from "node:test";
import { outboxTo, type Outbox } from "../src/core/outbox.js";

function outbox(): { box: Outbox; sent: unknown[][]; clock: { now: number } } {
  const sent: unknown[][] = [];
  const clock = { now: 0 };
  return {
    box: outboxTo(
      (message) => sent.push(typeof message === "string" ? (JSON.parse(message) as unknown[]) : [message]),
      () => clock.now,
    ),
    sent,
    clock,
  };
}

test("answers of one turn share a message that leaves in a microtask", async () => {
  const { box, sent } = outbox();
  box.answer("1", "=1");
  box.answer("2", ":two");
  assert.deepEqual(sent, []);
  await Promise.resolve();
  assert.deepEqual(sent, [["1=1", "2:two"]]);
});

test("an answer waits for company no longer than a millisecond", () => {
  const { box, sent, clock } = outbox();
  box.answer("1", "=1");
  clock.now = 1;
  box.answer("2", "=2");
  assert.deepEqual(sent, [["1=1", "2=2"]]);
});

test("a message holds at most 256 frames", () => {
  const { box, sent } = outbox();
  for (let at = 0; at < 600; at++) box.answer(String(at), "=0");
  assert.deepEqual(
    sent.map((message) => message.length),
    [256, 256],
  );
});

test("a large answer leaves at once", () => {
  const { box, sent } = outbox();
  box.answer("1", `:${"x".repeat(1024 * 1024)}`);
  assert.equal(sent.length, 1);
});

test("the frame limit counts bytes, the id included", () => {
  const { box, sent } = outbox();
  const fits = `:${"x".repeat(16 * 1024 * 1024 - 2)}`;
  box.answer("1", fits);
  box.answer("1", `${fits}x`);
  box.answer("1", `:${"é".repeat(8 * 1024 * 1024)}`);
  box.flush();
  const answers = sent.flat().map((frame) => String(frame).slice(0, 40));
  assert.match(answers[0] ?? "", /^1:xxx/);
  assert.match(answers[1] ?? "", /^1!-32603 the value is 16\.0 MiB/);
  assert.match(answers[2] ?? "", /^1!-32603/);
});

test("what grows beyond a message when written is an error too", () => {
  const { box, sent } = outbox();
  box.answer("1", `:${"\x01".repeat(12 * 1024 * 1024)}`);
  box.flush();
  assert.match(String(sent[0]?.[0]), /^1!-32603 the value is 72\.0 MiB/);
});

test("halves of pairs become U+FFFD in text, in JSON and in notifications; whole pairs and backslashes stay", () => {
  const { box, sent } = outbox();
  box.answer("1", ":a\ud800b\u{1f600}\\ud800");
  box.answer("2", `=${JSON.stringify({ "\udc00": "\u{1f600}", b: "\\ud800" })}`);
  box.push({ method: "page/info", params: { title: "\ud800" } });
  box.flush();
  const parsed = sent[0] ?? [];
  assert.equal(parsed[0], "1:a\ufffdb\u{1f600}\\ud800");
  assert.deepEqual(JSON.parse(String(parsed[1]).slice(2)), { "\ufffd": "\u{1f600}", b: "\\ud800" });
  assert.deepEqual(parsed[2], { method: "page/info", params: { title: "\ufffd" } });
});

test("the last answer can be taken back until it leaves", () => {
  const { box, sent } = outbox();
  box.answer("1", "=1");
  box.answer("2", "=2");
  assert.equal(box.takeLast(), "2=2");
  box.flush();
  assert.equal(box.takeLast(), undefined);
  assert.deepEqual(sent, [["1=1"]]);
});

test("bytes leave at once, behind what was there before them", () => {
  const { box, sent } = outbox();
  box.answer("1", "=1");
  const bytes = new Blob(["2 image/png\n"]);
  box.blob(bytes);
  assert.deepEqual(sent, [["1=1"], [bytes]]);
});
