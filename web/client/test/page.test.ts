// The page as a script: frames in, frames out; the test controls the clock and the browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { outboxTo } from "../src/core/outbox.js";
import { pageWith, type Page, type Surroundings } from "../src/core/page.js";
import type { Part } from "../src/core/part.js";
import { realmOf } from "../src/core/realm.js";
import { refusal } from "../src/page/refusal.js";
import { testCore } from "./core.js";

interface Stage {
  readonly page: Page;
  /** Everything sent so far; flushes first. */
  sent(): unknown[];
  /** Runs pending timers. */
  elapse(): void;
  readonly tasks: (() => void)[];
}

function stage(more: Partial<Surroundings> = {}): Stage {
  const frames: unknown[] = [];
  const timers: (() => void)[] = [];
  const tasks: (() => void)[] = [];
  const outbox = outboxTo(
    (message) => frames.push(...(JSON.parse(String(message)) as unknown[])),
    () => 0,
  );
  const page = pageWith(outbox, {
    realm: realmOf(globalThis, undefined),
    frame: () => Promise.resolve("!-32602 none"),
    answer: ({ id, method }) =>
      Promise.resolve({ id, error: { code: -32601, message: `no method ${String(method)}` } }),
    thrown: (error) => Promise.resolve(`!-32003 ${String(error)}`),
    travels: () => false,
    onTaken: () => undefined,
    onWelcome: () => undefined,
    after: (_, then) => timers.push(then),
    soon: (then) => tasks.push(then),
    parts: () => [],
    called: () => undefined,
    ...more,
  });
  const sent = (): unknown[] => {
    outbox.flush();
    return frames.splice(0);
  };
  return { page, sent, elapse: () => timers.splice(0).forEach((timer) => timer()), tasks };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const send = (page: Page, ...frames: unknown[]): void => page.receive(JSON.stringify(frames));

test("ids of a line are 1 to 19 word characters, everything else is code", () => {
  const { page, sent } = stage();
  send(page, "1:1", "a_Z9:2", "1234567890123456789:3", ":globalThis.fired = 4", "12345678901234567890:5", "x-y:6", "");
  assert.deepEqual(sent(), ["1=1", "a_Z9=2", "1234567890123456789=3"]);
});

test("a pending call is answered once, and not after it was cancelled", async () => {
  const { page, sent } = stage();
  send(page, "1:Promise.resolve(1)", "2:Promise.resolve(2)", {
    jsonrpc: "2.0",
    method: "call/cancel",
    params: { id: "2" },
  });
  await settled();
  assert.deepEqual(sent(), ["1=1"]);
});

test("a dropped connection aborts what runs and answers nothing", async () => {
  const { page, sent } = stage();
  (globalThis as { seen?: AbortSignal | undefined }).seen = undefined;
  Object.defineProperty(globalThis, "eye", { configurable: true, get: () => page });
  send(page, "1:globalThis.seen = eye.signal; new Promise(r => setImmediate(r))");
  page.drop();
  await settled();
  assert.equal((globalThis as { seen?: AbortSignal }).seen?.aborted, true);
  assert.deepEqual(sent(), []);
});

const calling = (id: string): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "x" } });

test("a tool that is not there yet is waited for, for two seconds", () => {
  let part: Part | undefined;
  const taken: unknown[] = [];
  const { page, sent, elapse } = stage({ parts: () => (part === undefined ? [] : [part]) });
  send(page, calling("1"));
  for (let look = 0; look < 39; look++) elapse();
  assert.deepEqual(sent(), []);
  part = { joined: () => undefined, left: () => undefined, take: ({ id }) => taken.push(id) > 0 };
  elapse();
  assert.deepEqual(taken, ["1"]);
  part = undefined;
  send(page, calling("2"));
  for (let look = 0; look < 40; look++) elapse();
  assert.deepEqual(sent(), [{ jsonrpc: "2.0", id: "2", error: { code: -32004, message: "Tool not found: x" } }]);
});

test("a tool that is waited for does not run once its call is cancelled or its connection lost", () => {
  const taken: unknown[] = [];
  let ready = false;
  const part: Part = {
    joined: () => undefined,
    left: () => undefined,
    take: ({ id, method }) => ready && method === "tools/call" && taken.push(id) > 0,
  };
  const { page, sent, elapse } = stage({ parts: () => [part] });
  send(page, calling("1"), calling("2"), { jsonrpc: "2.0", method: "call/cancel", params: { id: "1" } });
  ready = true;
  elapse();
  assert.deepEqual(taken, ["2"]);
  ready = false;
  send(page, calling("3"));
  page.drop();
  ready = true;
  elapse();
  assert.deepEqual(taken, ["2"]);
  assert.deepEqual(sent(), []);
});

test("an unknown method is the verbs' to answer, an unknown notification nothing", async () => {
  const { page, sent } = stage();
  send(page, { jsonrpc: "2.0", id: 5, method: "nope" }, { jsonrpc: "2.0", method: "nope" });
  await settled();
  assert.deepEqual(sent(), [{ jsonrpc: "2.0", id: 5, error: { code: -32601, message: "no method nope" } }]);
});

test("an error waits for the part that says what it is, and is told without it too", async () => {
  const { page, sent } = stage();
  send(page, "1:(1", "2:2");
  assert.deepEqual(sent(), ["2=2"]);
  await settled();
  assert.match(String(sent()[0]), /^1!-32003 SyntaxError: /);
  const alone = stage({ thrown: () => Promise.reject(new TypeError("Failed to fetch")) });
  send(alone.page, "3:null.x");
  await settled();
  assert.match(String(alone.sent()[0]), /^3!-32003 TypeError: Cannot read/);
});

test("a page without eval answers with its reason", async () => {
  const { page, sent } = stage({
    realm: undefined,
    answer: ({ method }) => Promise.resolve(method === "eval" ? refusal(testCore({ blocked: "CSP" })) : ""),
  });
  send(page, "1:1", ":2", { jsonrpc: "2.0", id: "3", method: "eval", params: { code: "1", frame: "x" } });
  await settled();
  assert.deepEqual(
    sent().map((frame) => String(frame).slice(0, 52)),
    ["1!-32006 this page's Content-Security-Policy forbids", "3!-32006 this page's Content-Security-Policy forbids"],
  );
});

test("a navigation during a call holds its answer until it turns out to lead nowhere", async () => {
  const { page, sent, elapse } = stage();
  Object.defineProperty(globalThis, "go", {
    configurable: true,
    value: () => page.navigates("http://x/", () => false),
  });
  send(page, "1:go(); 'gone'", "2:2");
  await settled();
  assert.deepEqual(sent(), [
    "2=2",
    { jsonrpc: "2.0", method: "call/navigating", params: { id: "1", url: "http://x/" } },
  ]);
  elapse();
  assert.deepEqual(sent(), ["1:gone"]);
  elapse();
  assert.deepEqual(sent(), []);
});

test("a navigation that the page intercepts is no navigation", async () => {
  const { page, sent } = stage();
  Object.defineProperty(globalThis, "go", { configurable: true, value: () => page.navigates("http://x/", () => true) });
  send(page, "1:go(); 'stays'");
  await settled();
  assert.deepEqual(sent(), ["1:stays"]);
});

test("a navigation right after a call takes back its answer, and one of a lone pending call is its own", async () => {
  const { page, sent } = stage();
  send(page, "1:1");
  page.navigates("http://x/", () => false);
  await settled();
  assert.deepEqual(sent(), [{ jsonrpc: "2.0", method: "call/navigating", params: { id: "1", url: "http://x/" } }]);
  send(page, "2:new Promise(() => {})");
  page.navigates("http://y/", () => false);
  await settled();
  assert.deepEqual(sent(), [{ jsonrpc: "2.0", method: "call/navigating", params: { id: "2", url: "http://y/" } }]);
});

test("a submitted form is given one task to navigate", async () => {
  const { page, sent, tasks } = stage();
  Object.defineProperty(globalThis, "go", { configurable: true, value: () => page.submits() });
  send(page, "1:go(); 1");
  await settled();
  assert.deepEqual(sent(), []);
  for (const task of tasks) task();
  assert.deepEqual(sent(), ["1=1"]);
});

const verb = (id: string, more: object = {}): object => ({ jsonrpc: "2.0", id, method: "page/x", params: more });

test("a verb is answered like an eval, or with a response, and cancelled by its signal", async () => {
  const signals: AbortSignal[] = [];
  const answers: (string | object)[] = [":text", { id: "2", error: { code: -32001, message: "late" } }];
  const { page, sent } = stage({
    answer: (_, { signal }) => (signals.push(signal), Promise.resolve(answers.shift() ?? ":late")),
  });
  send(page, verb("1"), verb("2"), verb("3"), { jsonrpc: "2.0", method: "call/cancel", params: { id: "3" } });
  await settled();
  assert.deepEqual(sent(), ["1:text", { jsonrpc: "2.0", id: "2", error: { code: -32001, message: "late" } }]);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, false, true],
  );
});

test("a navigation is the verb's that ran when it began, whatever else is under way", async () => {
  const ends: ((answer: string) => void)[] = [];
  let go = (): void => undefined;
  const { page, sent, elapse } = stage({
    answer: (_, { own }) =>
      new Promise((resolve) => (ends.push(resolve), (go = () => own(() => page.navigates("http://x/", () => false))))),
  });
  send(page, verb("1"), verb("2"));
  go();
  await settled();
  assert.deepEqual(sent(), [{ jsonrpc: "2.0", method: "call/navigating", params: { id: "2", url: "http://x/" } }]);
  for (const end of ends) end(":done");
  await settled();
  assert.deepEqual(sent(), ["1:done"]);
  elapse();
  assert.deepEqual(sent(), ["2:done"]);
});

test("a form that a verb submits is its navigation a task later", async () => {
  let submit = (): void => undefined;
  const { page, sent, tasks } = stage({
    answer: (_, { own }) => new Promise(() => (submit = () => own(() => page.submits()))),
  });
  send(page, verb("1"), verb("2"));
  submit();
  page.navigates("http://x/", () => false);
  await settled();
  assert.deepEqual(sent(), [{ jsonrpc: "2.0", method: "call/navigating", params: { id: "2", url: "http://x/" } }]);
  for (const task of tasks) task();
});

test("an agent that asks for the delta has it before the answer", async () => {
  const order: unknown[] = [];
  const { page } = stage({ called: (delta) => order.push(delta), answer: () => Promise.resolve(":1") });
  send(
    page,
    { jsonrpc: "2.0", id: "1", method: "eval", params: { code: "1", delta: true } },
    "2:2",
    verb("3", { delta: true }),
  );
  await settled();
  assert.deepEqual(order, [true, false, true]);
});
