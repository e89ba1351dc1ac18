// The page as a script: frames in, frames out, with the clock and the browser in the test's hand.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Outbox } from "../src/outbox.js";
import { Page, refusal, type Surroundings } from "../src/page.js";
import type { Part } from "../src/part.js";
import { Realm } from "../src/realm.js";

interface Stage {
  readonly page: Page;
  /** What has left so far; flushes first. */
  sent(): unknown[];
  /** Runs what waits for a timer. */
  elapse(): void;
  readonly tasks: (() => void)[];
}

function stage(more: Partial<Surroundings> = {}): Stage {
  const frames: unknown[] = [];
  const timers: (() => void)[] = [];
  const tasks: (() => void)[] = [];
  const outbox = new Outbox((message) => frames.push(...(JSON.parse(String(message)) as unknown[])), () => 0);
  const page = new Page(outbox, {
    realm: new Realm(globalThis, undefined),
    refusal: "",
    frame: () => "!-32602 none",
    misplaced: () => Promise.resolve({ line: 1, column: 2 }),
    travels: () => false,
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
  send(page, "1:Promise.resolve(1)", "2:Promise.resolve(2)", { jsonrpc: "2.0", method: "call/cancel", params: { id: "2" } });
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
  const part: Part = { joined: () => undefined, left: () => undefined, take: ({ id, method }) => ready && method === "tools/call" && taken.push(id) > 0 };
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

test("an unknown method is an error, an unknown notification nothing", () => {
  const { page, sent } = stage();
  send(page, { jsonrpc: "2.0", id: 5, method: "nope" }, { jsonrpc: "2.0", method: "nope" });
  assert.deepEqual(sent(), [{ jsonrpc: "2.0", id: 5, error: { code: -32601, message: "no method nope" } }]);
});

test("a syntax error waits for its place", async () => {
  const { page, sent } = stage();
  send(page, "1:(1", "2:2");
  assert.deepEqual(sent(), ["2=2"]);
  await settled();
  assert.match(String(sent()[0]), /^1!-32003 SyntaxError: .* \(line 1, col 2\)$/);
});

test("a page without eval answers with its reason", () => {
  const { page, sent } = stage({ realm: undefined, refusal: refusal("CSP") });
  send(page, "1:1", ":2", { jsonrpc: "2.0", id: "3", method: "eval", params: { code: "1", frame: "x" } });
  assert.deepEqual(sent().map((frame) => String(frame).slice(0, 52)), [
    "1!-32006 this page's Content-Security-Policy forbids",
    "3!-32006 this page's Content-Security-Policy forbids",
  ]);
});

test("a navigation during a call holds its answer until it turns out to lead nowhere", async () => {
  const { page, sent, elapse } = stage();
  Object.defineProperty(globalThis, "go", { configurable: true, value: () => page.navigates("http://x/", () => false) });
  send(page, "1:go(); 'gone'", "2:2");
  await settled();
  assert.deepEqual(sent(), ["2=2", { jsonrpc: "2.0", method: "call/navigating", params: { id: "1", url: "http://x/" } }]);
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

test("eye.js is within its budget of 12 KiB gzipped", () => {
  const script = readFileSync(join(import.meta.dirname, "../dist/eye.js"));
  assert.ok(gzipSync(script, { level: 9 }).length <= 12 * 1024);
});
