// The part behind `eye.state` as a script: the test controls the clock, the tasks and the person's actions.

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { applyPatch, type Operation } from "fast-json-patch";
import { outboxTo } from "../src/core/outbox.js";
import { pageWith } from "../src/core/page.js";
import type { Part, StatePart } from "../src/core/part.js";
import { publishedDocument } from "../src/state/published.js";
import { realmOf } from "../src/core/realm.js";
import { offer } from "../src/state/state.js";
import { testCore } from "./core.js";

interface Stage {
  readonly part: StatePart;
  sent(): unknown[];
  /** Runs pending tasks. */
  turn(): void;
  /** Advances the clock, and runs the timers that are due. */
  elapse(ms: number): void;
  readonly timers: { readonly at: number; then(): void }[];
  interact(): void;
  mutate(): void;
  visible: boolean;
}

function stage(): Stage {
  const frames: unknown[] = [];
  const tasks: (() => void)[] = [];
  const timers: Stage["timers"] = [];
  const listeners = new Set<() => void>();
  const observers = new Set<() => void>();
  const seen = { visible: true };
  let now = 0;
  const core = testCore({
    send: (frame) => frames.push(JSON.parse(JSON.stringify(frame))),
    after: (ms, then) => timers.push({ at: now + ms, then }),
  });
  const part = offer(core, {
    task: (then) => tasks.push(then),
    interactions: (seen, signal) => {
      listeners.add(seen);
      signal.addEventListener("abort", () => listeners.delete(seen));
    },
    mutations: (mutated, signal) => {
      observers.add(mutated);
      signal.addEventListener("abort", () => observers.delete(mutated));
    },
    get visible() {
      return seen.visible;
    },
  });
  return {
    part,
    sent: () => frames.splice(0),
    turn: () => tasks.splice(0).forEach((task) => task()),
    elapse(ms) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      for (const timer of due) timers.splice(timers.indexOf(timer), 1);
      for (const { then } of due) then();
    },
    timers,
    interact: () => listeners.forEach((seen) => seen()),
    mutate: () => observers.forEach((mutated) => mutated()),
    get visible() {
      return seen.visible;
    },
    set visible(visible) {
      seen.visible = visible;
    },
  };
}

const update = (state: unknown, revision: number): object => ({ method: "state/update", params: { state, revision } });
const replace = (path: string, value: unknown, revision: number): object => ({
  method: "state/patch",
  params: { patch: [{ op: "replace", path, value }], revision },
});
const TITLE = "a title that is longer than a patch, so that a change goes as one";

function errors(context: TestContext): unknown[][] {
  const said: unknown[][] = [];
  context.mock.method(console, "error", (...args: unknown[]) => said.push(args));
  return said;
}

test("the whole document goes once, then what changed, with the next revision", () => {
  const { part, sent, turn } = stage();
  const cart = { title: TITLE, n: 0 };
  part.joined();
  part.state(() => cart);
  assert.deepEqual(sent(), [update({ title: TITLE, n: 0 }, 1)]);
  cart.n = 5;
  part.called();
  turn();
  assert.deepEqual(sent(), [replace("/n", 5, 2)]);
  part.called();
  turn();
  assert.deepEqual(sent(), []);
});

test("an object is its own source, and members that change places are no change", () => {
  const { part, sent, turn } = stage();
  let state: object = { title: TITLE, n: 0 };
  part.joined();
  part.state(() => state);
  sent();
  state = { n: 0, title: TITLE };
  part.called();
  turn();
  assert.deepEqual(sent(), []);
  const held = { title: TITLE, n: 0 };
  part.state(held);
  assert.deepEqual(sent(), []);
  held.n++;
  part.called();
  turn();
  assert.deepEqual(sent(), [replace("/n", 1, 2)]);
});

test("all calls of a task are looked at once", () => {
  const { part, turn } = stage();
  let reads = 0;
  part.joined();
  part.state(() => ({ reads: ++reads }));
  for (let call = 0; call < 5; call++) part.called();
  turn();
  assert.equal(reads, 2);
});

test("a patch larger than the document goes as the document, and so does another kind of root", () => {
  const { part, sent, turn } = stage();
  const numbers = (from: number): number[] => Array.from({ length: 100 }, (_, at) => from + at);
  let state: unknown = numbers(0);
  part.joined();
  part.state(() => state);
  sent();
  for (const [index, next] of [numbers(1000), { a: 1 }, 7, null, "x"].entries()) {
    state = next;
    part.called();
    turn();
    assert.deepEqual(sent(), [update(next, index + 2)]);
  }
});

test("a short patch tells what changed, even where the document is shorter", () => {
  const { part, sent, turn } = stage();
  const state = { n: 0 };
  part.joined();
  part.state(() => state);
  sent();
  state.n = 1;
  part.called();
  turn();
  assert.deepEqual(sent(), [replace("/n", 1, 2)]);
});

test("an interaction is looked at after its listeners, once per throttle, and once at the end", () => {
  const { part, sent, turn, elapse, timers, interact } = stage();
  const state = { title: TITLE, n: 0 };
  part.joined();
  part.state(() => state, { throttle: 100 });
  sent();
  interact();
  assert.deepEqual(sent(), []);
  state.n = 1;
  turn();
  assert.deepEqual(sent(), [replace("/n", 1, 2)]);
  for (let n = 2; n < 9; n++) {
    state.n = n;
    interact();
    turn();
  }
  elapse(99);
  assert.deepEqual(sent(), []);
  elapse(1);
  assert.deepEqual(sent(), [replace("/n", 8, 3)]);
  // Work that the last event started ends a moment later.
  state.n = 9;
  elapse(100);
  assert.deepEqual(sent(), [replace("/n", 9, 4)]);
  assert.equal(timers.length, 0);
});

test("a call is not throttled", () => {
  const { part, sent, turn, interact } = stage();
  const state = { title: TITLE, n: 0 };
  part.joined();
  part.state(state);
  interact();
  turn();
  sent();
  state.n = 1;
  interact();
  part.called();
  turn();
  assert.deepEqual(sent(), [replace("/n", 1, 2)]);
});

test("an idle page runs no timer and is not looked at", () => {
  const { part, sent, turn, timers } = stage();
  let reads = 0;
  part.joined();
  part.state(() => ({ reads: ++reads }));
  sent();
  turn();
  assert.deepEqual([reads, timers.length, sent()], [1, 0, []]);
});

test("changed() looks, without a timer for the first time", () => {
  const { part, sent, turn } = stage();
  const state = { title: TITLE, n: 0 };
  part.joined();
  part.state(state);
  sent();
  state.n = 1;
  part.changed();
  turn();
  assert.deepEqual(sent(), [replace("/n", 1, 2)]);
});

test("every connection gets the whole, and between them nothing is read", () => {
  const { part, sent, turn, elapse, interact } = stage();
  const state = { title: TITLE, n: 0 };
  part.state(state);
  assert.deepEqual(sent(), []);
  part.joined();
  assert.deepEqual(sent(), [update(state, 1)]);
  interact();
  part.left();
  state.n = 1;
  interact();
  part.called();
  part.changed();
  turn();
  elapse(1000);
  assert.deepEqual(sent(), []);
  part.joined();
  assert.deepEqual(sent(), [update(state, 2)]);
  part.left();
  part.joined();
  assert.deepEqual(sent(), [update(state, 2)]);
  state.n = 2;
  interact();
  turn();
  assert.deepEqual(sent(), [replace("/n", 2, 3)]);
});

test("the hub's own question is answered from the source, and the change in it is not told again", () => {
  const { part, sent, turn } = stage();
  const state = { title: TITLE, n: 0 };
  assert.equal(part.take({ id: "1", method: "state/get" }), false);
  part.joined();
  part.state(state);
  sent();
  state.n = 1;
  part.called();
  assert.equal(part.take({ id: "2", method: "state/get", params: {} }), true);
  turn();
  assert.deepEqual(sent(), [{ id: "2", result: { state: { title: TITLE, n: 1 }, revision: 2 } }]);
  assert.equal(part.take({ id: "3", method: "state/get" }), true);
  assert.deepEqual(sent(), [{ id: "3", result: { state: { title: TITLE, n: 1 }, revision: 2 } }]);
  assert.equal(part.take({ method: "state/get" }), false);
  assert.equal(part.take({ id: "4", method: "tools/call" }), false);
});

test("a source without a value yet publishes nothing", () => {
  const { part, sent, turn } = stage();
  let state: object | undefined;
  part.joined();
  part.state(() => state);
  assert.equal(part.take({ id: "1", method: "state/get" }), false);
  assert.deepEqual(sent(), []);
  state = {};
  part.called();
  turn();
  assert.deepEqual(sent(), [update({}, 1)]);
});

test("a getter that throws is reported once, and its next document is told", (context) => {
  const said = errors(context);
  const { part, sent, turn } = stage();
  let broken = true;
  part.joined();
  part.state(() => {
    if (broken) throw new Error("no cart yet");
    return { ok: 1 };
  });
  part.called();
  turn();
  assert.equal(said.length, 1);
  assert.equal(part.take({ id: "1", method: "state/get" }), true);
  assert.deepEqual(sent(), [
    { id: "1", error: { code: -32003, message: "the state cannot be read: Error: no cart yet" } },
  ]);
  broken = false;
  part.called();
  turn();
  assert.deepEqual(sent(), [update({ ok: 1 }, 1)]);
});

const loop: Record<string, unknown> = {};
loop.loop = loop;
let deep: unknown = 0;
for (let level = 0; level < 101; level++) deep = [deep];

for (const [what, value, message] of [
  ["over the limit", { text: "ä".repeat(2 * 1024 * 1024) }, /the state is 4\.0 MiB, over the limit of 4 MiB/],
  ["too deep", { deep }, /more than 100 levels deep/],
  ["a promise", Promise.resolve({}), /is a promise/],
  ["no JSON", loop, /cannot be read/],
] as const) {
  test(`a state that is ${what} is reported once, and the one before stays`, (context) => {
    const said = errors(context);
    const { part, sent, turn } = stage();
    let state: object = { title: TITLE, n: 1 };
    part.joined();
    part.state(() => state);
    sent();
    state = value;
    for (let call = 0; call < 2; call++) {
      part.called();
      turn();
    }
    assert.equal(said.length, 1);
    assert.match(String(said[0]?.[0]), message);
    assert.deepEqual(sent(), []);
    state = { title: TITLE, n: 2 };
    part.called();
    turn();
    assert.deepEqual(sent(), [replace("/n", 2, 2)]);
  });
}

test("whatever the documents are, the patches lead from one to the next", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 2, maxLength: 5 }), (documents) => {
      const published = publishedDocument();
      let hub: unknown;
      let revision = 0;
      for (const document of documents) {
        // A library may refuse to write this name; what is tested is what it says.
        if (JSON.stringify(document).includes("__proto__")) continue;
        const before = JSON.stringify(hub);
        const patch = published.read(() => document);
        if (patch === undefined) hub = published.whole.state;
        else
          hub =
            patch.length === 0
              ? hub
              : applyPatch(JSON.parse(String(before)), JSON.parse(JSON.stringify(patch)) as Operation[]).newDocument;
        assert.deepEqual(hub, JSON.parse(JSON.stringify(document)));
        revision += patch?.length === 0 ? 0 : 1;
        assert.equal(published.whole.revision, revision);
      }
    }),
  );
});

test("a page tells its parts of every call, fired ones too, before the answer is out of its task", async () => {
  const order: unknown[] = [];
  const part: Part = {
    take: () => false,
    joined: () => undefined,
    left: () => undefined,
    called: () => order.push("called"),
  };
  const page = pageWith(
    outboxTo(
      (message) => order.push(message),
      () => 0,
    ),
    {
      realm: realmOf(globalThis, undefined),
      frame: () => Promise.resolve(""),
      answer: () => Promise.resolve(""),
      thrown: () => Promise.resolve("!-32003 thrown"),
      travels: () => false,
      onTaken: () => undefined,
      onWelcome: () => undefined,
      after: () => undefined,
      soon: () => undefined,
      parts: () => [part],
      called: () => part.called?.(),
    },
  );
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  page.receive('["1:1","2:x.y.z",":1"]');
  await settled();
  page.receive('[":Promise.resolve()"]');
  await settled();
  assert.deepEqual(
    order.map((one) => (one === "called" ? one : "sent")),
    ["called", "called", "sent", "called", "sent", "called"],
  );
  order.length = 0;
  page.receive('[{"jsonrpc":"2.0","id":"3","method":"ping"}]');
  await settled();
  assert.equal(order.includes("called"), false);
});

test("a page that asks to be observed is looked at after every change of its document, and not after another source took its place", () => {
  const { part, sent, turn, mutate, elapse, timers } = stage();
  const scene = { title: TITLE, n: 0 };
  part.joined();
  part.state(scene, { observe: true });
  sent();
  assert.equal(timers.length, 0, "nothing is waited for while nothing changes");
  scene.n = 1;
  mutate();
  turn();
  assert.deepEqual(sent(), [replace("/n", 1, 2)]);
  elapse(1000);
  part.left();
  scene.n = 2;
  mutate();
  turn();
  assert.deepEqual(sent(), []);
  part.joined();
  assert.equal(sent().length, 1);
  part.state(scene);
  scene.n = 3;
  mutate();
  turn();
  assert.deepEqual(sent(), []);
});

test("a page that asks to be looked at every so often is, while it is visible", () => {
  const here = stage();
  const scene = { title: TITLE, n: 0 };
  here.part.joined();
  here.part.state(scene, { observe: 200 });
  here.sent();
  scene.n = 1;
  here.elapse(200);
  assert.deepEqual(here.sent(), [replace("/n", 1, 2)]);
  here.visible = false;
  scene.n = 2;
  here.elapse(200);
  assert.deepEqual(here.sent(), []);
  here.visible = true;
  here.elapse(200);
  assert.deepEqual(here.sent(), [replace("/n", 2, 3)]);
  here.part.left();
  here.elapse(200);
  assert.equal(here.timers.length, 0, "it ends with its connection");
});

test("a state is restored as the page says, and looked at once more where a revision is asked for", async () => {
  const on = stage();
  let n = 1;
  on.part.state(() => ({ n }), {
    restore(state: { n: number }) {
      if (typeof state.n !== "number") throw new Error("n is a number");
      ({ n } = state);
    },
  });
  on.part.joined();
  assert.equal(on.part.isAt(1), true);
  on.sent();
  n = 2;
  assert.equal(on.part.isAt(1), false, "a change that was not told yet counts");
  assert.deepEqual(on.sent(), [
    { method: "state/patch", params: { patch: [{ op: "replace", path: "/n", value: 2 }], revision: 2 } },
  ]);
  assert.equal(on.part.take({ id: "7", method: "state/set", params: { state: { n: 1 } } }), true);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(on.sent(), [
    { method: "state/patch", params: { patch: [{ op: "replace", path: "/n", value: 1 }], revision: 3 } },
    { id: "7", result: "restored" },
  ]);
  on.part.take({ id: "8", method: "state/set", params: { state: {} } });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(on.sent(), [{ id: "8", error: { code: -32003, message: "n is a number" } }]);
  on.part.state(() => ({ n }));
  on.sent();
  on.part.take({ id: "9", method: "state/set", params: { state: { n: 5 } } });
  await new Promise((resolve) => setImmediate(resolve));
  const [refused] = on.sent() as { error: { code: number } }[];
  assert.equal(refused?.error.code, -32601);
});
