// What the light reads in the hub's frames, and what it remembers of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Activity, CALLS_LEN_MAX } from "../desktop/src/agents/activity.js";
import { asked, cancelled, ended, framesOf, TEXT_CHARS_MAX } from "../desktop/src/agents/frames.js";

const rpc = (method: string, params: object, id?: string) => ({ jsonrpc: "2.0", id, method, params });

test("each way to ask is told apart from unasked messages", () => {
  assert.deepEqual(asked("12:getUser()"), { id: "12", kind: "eval", text: "getUser()" });
  assert.deepEqual(asked(":foo:bar()"), { id: "", kind: "fire", text: "foo:bar()" });
  assert.deepEqual(asked(rpc("eval", { code: "x", frame: "#f" }, "3")), { id: "3", kind: "eval", text: "x" });
  assert.deepEqual(asked(rpc("eval", { code: "x" })), { id: "", kind: "fire", text: "x" });
  assert.deepEqual(asked(rpc("tools/call", { name: "add", arguments: { a: 1 } }, "4")), {
    id: "4",
    kind: "tool",
    text: 'add {"a":1}',
  });
  assert.deepEqual(asked(rpc("page/click", { target: "#x", agent: "me", timeout: 5 }, "5")), {
    id: "5",
    kind: "verb",
    text: 'click {"target":"#x"}',
  });
  for (const frame of [
    rpc("ping", {}, "6"),
    rpc("state/get", {}, "7"),
    rpc("topic/message", {}),
    rpc("call/cancel", { id: "4" }),
    { id: "hello", result: {} },
    null,
    7,
    "12:",
  ]) {
    assert.equal(asked(frame), undefined, JSON.stringify(frame));
  }
  assert.equal(cancelled(rpc("call/cancel", { id: "4" })), "4");
});

test("each way to answer ends its call", () => {
  assert.deepEqual(ended("12:root"), { id: "12", failed: false, text: "root" });
  assert.deepEqual(ended("12=5"), { id: "12", failed: false, text: "5" });
  assert.deepEqual(ended("12~undefined"), { id: "12", failed: false, text: "undefined" });
  assert.deepEqual(ended("12!-32003 x is not defined\x1fhint\x1fstack"), {
    id: "12",
    failed: true,
    text: "x is not defined",
  });
  assert.deepEqual(ended({ id: "4", result: { a: 1 } }), { id: "4", failed: false, text: '{"a":1}' });
  assert.deepEqual(ended({ id: "4", error: { code: -1, message: "no" } }), { id: "4", failed: true, text: "no" });
  assert.equal(ended(rpc("tools/register", {}, "tools-1")), undefined);
});

test("long code is cut, lines become one, and junk is no frame", () => {
  const { text = "" } = asked(`1:${"a\n  b".repeat(1000)}`) ?? {};
  assert.equal(text.length, TEXT_CHARS_MAX);
  assert.ok(!text.includes("\n") && text.endsWith("…"));
  assert.deepEqual(framesOf("not json"), []);
  assert.deepEqual(framesOf('["1:a",{"id":2}]'), ["1:a", { id: 2 }]);
});

test("calls end once: answered, failed, cancelled, or with their connection", () => {
  let now = 100;
  const activity = new Activity(() => now);
  for (const id of ["1", "2", "3", "4"]) activity.begin({ id, kind: "eval", text: id });
  activity.begin({ id: "", kind: "fire", text: "5" });
  assert.equal(activity.running, 4);
  now = 107;
  activity.end({ id: "1", failed: false, text: "one" });
  activity.end({ id: "1", failed: true, text: "again" });
  activity.end({ id: "2", failed: true, text: "bad" });
  activity.cancel("3");
  activity.unlink();
  assert.deepEqual(
    activity.calls.map(({ number, outcome, answer, ms }) => [number, outcome, answer, ms]),
    [
      [5, "done", "", undefined],
      [4, "cancelled", "", 7],
      [3, "cancelled", "", 7],
      [2, "failed", "bad", 7],
      [1, "done", "one", 7],
    ],
  );
  assert.deepEqual([activity.running, activity.total, activity.linked], [0, 5, false]);
});

test("what is remembered is bounded, and what was forgotten still ends", () => {
  const activity = new Activity();
  for (let n = 0; n < CALLS_LEN_MAX + 50; n++) activity.begin({ id: String(n), kind: "eval", text: "" });
  assert.equal(activity.calls.length, CALLS_LEN_MAX);
  activity.end({ id: "0", failed: false, text: "" });
  assert.equal(activity.running, CALLS_LEN_MAX + 49);
});
