// Tools by name, and the content of their results.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toResult } from "../src/btcp/content.js";
import { ToolExecutor } from "../src/btcp/executor.js";
import { EyeError } from "../src/wire/error.js";

const text = (text: string): object => ({ content: [{ type: "text", text }], isError: false });

for (const [name, value, expected] of [
  ["a string is one text", "hello", text("hello")],
  ["an object is one text of pretty JSON", { a: [1] }, text('{\n  "a": [\n    1\n  ]\n}')],
  ["an array is one text of pretty JSON", [1, 2], text("[\n  1,\n  2\n]")],
  ["an empty array is no content", [], text("[]")],
  ["a number is its text", 5, text("5")],
  ["a boolean is its text", false, text("false")],
  ["null is its text", null, text("null")],
  ["undefined is its text", undefined, text("undefined")],
  ["a bigint is its text", 12n, text("12")],
  ["a content array passes", [{ type: "text", text: "x" }], { content: [{ type: "text", text: "x" }], isError: false }],
  [
    "a result passes with all it has",
    { content: [{ type: "text", text: "x" }], isError: true, _meta: { a: 1 } },
    { content: [{ type: "text", text: "x" }], isError: true, _meta: { a: 1 } },
  ],
  ["an array of other things with a type is data", [{ type: "click" }], text('[\n  {\n    "type": "click"\n  }\n]')],
  [
    "a data URL is an image",
    "data:image/png;base64,AAAA",
    { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], isError: false },
  ],
  [
    "what looks like base64 is text",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    text("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"),
  ],
  ["a data URL inside of a text is text", "see data:image/png;base64,AAAA", text("see data:image/png;base64,AAAA")],
] as const) {
  test(name, () => assert.deepEqual(toResult(value), expected));
}

test("any JSON value becomes a list of content", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { content, isError } = toResult(value);
      assert.equal(isError, false);
      assert.ok(content.every((one) => typeof one.type === "string"));
    }),
  );
});

test("echo is built in", async () => {
  const executor = new ToolExecutor();
  assert.equal(executor.has("echo"), true);
  assert.equal(executor.has("nope"), false);
  assert.deepEqual(await executor.execute("echo", { message: "hi" }), text("hi"));
});

test("a handler gets its arguments, and may say what they are", async () => {
  const executor = new ToolExecutor();
  executor.registerHandler("greet", async ({ name }: { name: string }) => `Hello, ${name}!`);
  assert.deepEqual(await executor.execute("greet", { name: "Ada" }), text("Hello, Ada!"));
});

test("an unknown tool is -32601, one that throws -32603 with its message", async () => {
  const executor = new ToolExecutor();
  executor.registerHandler("kaboom", () => {
    throw new Error("kaboom");
  });
  await assert.rejects(
    executor.execute("nope"),
    (error) => error instanceof EyeError && error.code === -32601 && error.message === "Tool not found: nope",
  );
  await assert.rejects(
    executor.execute("kaboom"),
    (error) =>
      error instanceof EyeError &&
      error.code === -32603 &&
      error.message === "Tool execution failed: kaboom" &&
      /executor\.test/.test(error.stack ?? ""),
  );
});
