// The part behind `eye.tool` as a script: frames in, frames out.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rpc, ToolsPart } from "../src/core/part.js";
import type { Tool, ToolContext } from "../src/tools/tool.js";
import { offer } from "../src/tools/tools.js";
import { testCore } from "./core.js";

interface Stage {
  readonly part: ToolsPart;
  sent(): Record<string, unknown>[];
  call(id: string, name: string, args?: object): Promise<Record<string, unknown> | undefined>;
}

function stage(called = (): void => undefined): Stage {
  const frames: Record<string, unknown>[] = [];
  const part = offer(
    testCore({
      send: (frame) =>
        frames.push(
          frame instanceof Blob ? { blob: frame } : (JSON.parse(JSON.stringify(frame)) as Record<string, unknown>),
        ),
      called,
    }),
  );
  const sent = (): Record<string, unknown>[] => frames.splice(0);
  const call = async (id: string, name: string, args?: object): Promise<Record<string, unknown> | undefined> => {
    assert.equal(part.take({ id, method: "tools/call", params: { name, arguments: args } } as Rpc), true);
    await settled();
    return sent().find((frame) => frame.id === id);
  };
  return { part, sent, call };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const named = (name: string, execute: Tool["execute"] = () => name): Tool => ({
  name,
  description: `is ${name}`,
  execute,
});

test("tools of one tick share a message, and nothing of `execute` is told", async () => {
  const { part, sent } = stage();
  part.joined();
  sent();
  part.tool(named("a"));
  part.tool(named("b"));
  assert.deepEqual(sent(), []);
  await settled();
  assert.deepEqual(sent(), [
    {
      id: "tools-2",
      method: "tools/register",
      params: {
        tools: [
          { name: "a", description: "is a" },
          { name: "b", description: "is b" },
        ],
      },
    },
  ]);
});

test("what counts is the state at the end of the tick", async () => {
  const { part, sent } = stage();
  part.tool(named("old"));
  part.joined();
  await settled();
  sent();
  part.untool("old");
  part.tool(named("old"));
  part.tool(named("gone"));
  part.untool("gone");
  await settled();
  const news = sent().map(({ method, params }) => [method, params]);
  assert.deepEqual(news, [
    ["tools/register", { tools: [{ name: "old", description: "is old" }] }],
    ["tools/unregister", { names: ["gone"] }],
  ]);
});

test("every connection is told everything once, even that there is nothing", async () => {
  const { part, sent } = stage();
  part.tool(named("a"));
  await settled();
  assert.deepEqual(sent(), []);
  for (const expected of [["a"], ["a"]]) {
    part.joined();
    await settled();
    assert.deepEqual(
      sent().map(({ params }) => (params as { tools: Tool[] }).tools.map(({ name }) => name)),
      [expected],
    );
    part.left();
  }
  part.untool("a");
  part.joined();
  assert.deepEqual(
    sent().map(({ params }) => params),
    [{ tools: [] }],
  );
});

test("a signal takes its own tool back, and never its successor", async () => {
  const { part, sent, call } = stage();
  part.joined();
  const first = new AbortController();
  const second = new AbortController();
  part.tool(named("a"), { signal: first.signal });
  part.tool(
    named("a", () => "second"),
    { signal: second.signal },
  );
  first.abort();
  await settled();
  assert.deepEqual((await call("1", "a"))?.result, "second");
  sent();
  second.abort();
  await settled();
  assert.deepEqual(
    sent().map(({ method }) => method),
    ["tools/unregister"],
  );
  part.tool(named("late"), { signal: AbortSignal.abort() });
  await settled();
  assert.deepEqual(sent(), []);
});

for (const [name, tool] of [
  ["a name with spaces", named("a b")],
  ["an empty name", named("")],
  ["a name that is too long", named("x".repeat(129))],
  ["a tool without execute", { name: "x" } as unknown as Tool],
] as const) {
  test(`${name} is refused at once`, () => assert.throws(() => stage().part.tool(tool), TypeError));
}

test("a schema that JSON cannot hold is refused at once, and hinders no other frame", () => {
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  assert.throws(() => stage().part.tool({ ...named("a"), inputSchema: loop }), TypeError);
});

for (const [what, value, expected] of [
  ["a string", "5", "5"],
  ["a number", 5, 5],
  ["an object", { a: [1, null] }, { a: [1, null] }],
  ["undefined", undefined, null],
  ["content", { content: [{ type: "text", text: "x" }] }, { content: [{ type: "text", text: "x" }] }],
  ["what JSON cannot hold", Symbol("s"), "Symbol(s)"],
  ["what JSON cannot hold inside", { at: new Map([["k", 1n]]) }, { at: { k: "1n" } }],
] as const) {
  test(`${what} is answered as ${JSON.stringify(expected)}`, async () => {
    const { part, call } = stage();
    part.tool(named("a", () => value));
    part.joined();
    assert.deepEqual((await call("7", "a"))?.result, expected);
  });
}

for (const [what, value, head] of [
  ["a blob", new Blob(["\x00\x01"], { type: "image/png" }), "7 image/png"],
  ["a buffer", new Uint8Array([0, 1]).buffer, "7 application/octet-stream"],
  ["a view of bytes", new Uint8Array([9, 0, 1]).subarray(1), "7 application/octet-stream"],
] as const) {
  test(`${what} is a binary message`, async () => {
    const { part, sent, call } = stage();
    part.tool(named("a", () => value));
    part.joined();
    sent();
    part.take({ id: "7", method: "tools/call", params: { name: "a" } });
    await settled();
    const [{ blob } = {}] = sent().filter((frame) => "blob" in frame);
    assert.equal(await (blob as Blob).text(), `${head}\n\x00\x01`);
    part.tool(named("b"));
    assert.equal((await call("8", "b"))?.result, "b");
  });
}

test("an error is told with its real message and where it was thrown", async () => {
  const { part, call } = stage();
  part.joined();
  part.tool(named("a", () => JSON.parse("{")));
  part.tool(named("b", () => Promise.reject(new Error("plain"))));
  part.tool(named("c", () => Promise.reject("text")));
  const first = (await call("1", "a"))?.error as { code: number; message: string; data: { stack: string } };
  assert.equal(first.code, -32003);
  assert.match(first.message, /^SyntaxError: /);
  assert.match(first.data.stack, /tools\.test/);
  assert.deepEqual(((await call("2", "b"))?.error as { message: string }).message, "plain");
  assert.deepEqual(((await call("3", "c"))?.error as { message: string }).message, "text");
});

test("a tool that is not there yet is left to wait", () => {
  const { part } = stage();
  part.joined();
  assert.equal(part.take({ id: "1", method: "tools/call", params: { name: "x" } }), false);
});

test("a result over the frame limit is an error that says so", async () => {
  const { part, call } = stage();
  part.joined();
  part.tool(named("a", () => "x".repeat(16 * 1024 * 1024)));
  assert.match(
    ((await call("1", "a"))?.error as { message: string }).message,
    /16\.0 MiB, over the frame limit of 16 MiB/,
  );
});

function waiting(): { tool: Tool; seen: ToolContext[]; finish: (value: unknown) => void } {
  const seen: ToolContext[] = [];
  let finish: (value: unknown) => void = () => undefined;
  const tool = named("slow", (_, context) => {
    seen.push(context);
    return new Promise((resolve) => (finish = resolve));
  });
  return { tool, seen, finish: (value) => finish(value) };
}

test("progress carries the call's id until its answer has left", async () => {
  const { part, sent } = stage();
  const { tool, seen, finish } = waiting();
  part.joined();
  part.tool(tool);
  part.take({ id: "9", method: "tools/call", params: { name: "slow" } });
  seen[0]?.progress(1, 2, "half");
  seen[0]?.progress(2);
  await settled();
  finish(0);
  await settled();
  seen[0]?.progress(3);
  assert.deepEqual(
    sent().filter(({ id }) => id !== "tools-1" && id !== "tools-2"),
    [
      { method: "call/progress", params: { id: "9", progress: 1, total: 2, message: "half" } },
      { method: "call/progress", params: { id: "9", progress: 2 } },
      { id: "9", result: 0 },
    ],
  );
});

for (const [what, end] of [
  ["cancelled", (part: ToolsPart) => assert.equal(part.take({ method: "call/cancel", params: { id: "9" } }), true)],
  ["left by its connection", (part: ToolsPart) => part.left()],
] as const) {
  test(`a call that is ${what} sees its signal and is not answered`, async () => {
    const { part, sent } = stage();
    const { tool, seen, finish } = waiting();
    part.joined();
    part.tool(tool);
    part.take({ id: "9", method: "tools/call", params: { name: "slow" } });
    end(part);
    assert.equal(seen[0]?.signal.aborted, true);
    finish(0);
    await settled();
    assert.ok(!sent().some(({ id }) => id === "9"));
  });
}

test("frames for others are left to them", () => {
  const { part } = stage();
  for (const frame of [
    { method: "call/cancel", params: { id: "1" } },
    { id: "1", method: "ping" },
    { id: "hello", result: {} },
    { method: "tools/call" },
  ] as Rpc[]) {
    assert.equal(part.take(frame), false);
  }
  assert.equal(part.take({ id: "tools-1", result: { success: true } }), true);
});

test("others hear of every call that has run, before its answer is sent", async () => {
  const order: number[] = [];
  const { part, sent } = stage(() => order.push(sent().filter(({ id }) => id === "9").length));
  part.joined();
  part.tool(named("good"));
  part.tool(named("bad", () => Promise.reject(new Error("no"))));
  for (const name of ["good", "bad"]) {
    part.take({ id: "9", method: "tools/call", params: { name } });
    await settled();
    assert.equal(sent().filter(({ id }) => id === "9").length, 1);
  }
  assert.deepEqual(order, [0, 0]);
});
