// When a page has settled after an action, by the time that passes and what happens in it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  SETTLE_FIRST_MS,
  SETTLE_FRAME_MS_MAX,
  SETTLE_MS_MAX,
  SETTLE_QUIET_MS,
  SETTLE_REQUESTS_MS_MAX,
} from "../src/core/limits.js";
import { type Next, settling } from "../src/act/settle.js";

const FRAME_MS = 1000 / 60;
const NOTHING = { changed: false, busy: false };

/** Plays what happens: each time is a frame, or a wait as long as it was asked for. */
function played(happens: (ms: number) => { changed: boolean; busy: boolean }, frameMs = FRAME_MS): [number, Next[]] {
  const step = settling(SETTLE_FIRST_MS);
  const waits: Next[] = [];
  let now = 0;
  for (let next: Next | undefined = "frame"; next !== undefined; ) {
    waits.push(next);
    const ms = next === "frame" ? frameMs : next.restMs;
    now += ms;
    next = step({ ms, ...happens(now) });
  }
  return [now, waits];
}

const near = (ms: number, expected: number): void =>
  assert.ok(Math.abs(ms - expected) < 0.01, `${ms}, not ${expected}`);

test("a page has settled when nothing has changed for long enough, and not a frame later", () => {
  const [ms, waits] = played((now) => ({ ...NOTHING, changed: now < 1.5 * FRAME_MS }));
  near(ms, FRAME_MS + SETTLE_QUIET_MS);
  assert.deepEqual(waits.slice(0, -1), ["frame", "frame", "frame", "frame"]);
  assert.ok(waits.at(-1) !== "frame");
});

test("a first change is waited for longer", () => {
  near(played(() => NOTHING)[0], SETTLE_FIRST_MS);
});

test("a change in the rest of the quiet time begins it again", () => {
  const late = FRAME_MS + SETTLE_QUIET_MS;
  const [ms] = played((now) => ({ ...NOTHING, changed: now < 1.5 * FRAME_MS || Math.abs(now - late) < 1 }));
  near(ms, late + SETTLE_QUIET_MS);
});

test("where frames are rare, nothing but frames is waited for", () => {
  const [ms, waits] = played((now) => ({ ...NOTHING, changed: now < 41 }), 40);
  assert.equal(ms, 40 + 2 * 40);
  assert.ok(waits.every((one) => one === "frame"));
});

test("a frame in which the page had no time counts as a short one", () => {
  const [ms] = played((now) => ({ ...NOTHING, changed: now < 1 }), 10 * SETTLE_FRAME_MS_MAX);
  assert.equal(ms, 2 * 10 * SETTLE_FRAME_MS_MAX);
});

test("neither endless changes nor endless requests are waited for without an end", () => {
  const [changing] = played(() => ({ changed: true, busy: false }));
  assert.ok(changing >= SETTLE_MS_MAX && changing < SETTLE_MS_MAX + 2 * FRAME_MS);
  const [busy] = played(() => ({ changed: false, busy: true }));
  assert.ok(busy >= SETTLE_REQUESTS_MS_MAX && busy < SETTLE_REQUESTS_MS_MAX + 2 * FRAME_MS);
  // What the last response causes has its time.
  const [answered] = played((now) => ({ changed: true, busy: now < 100 }));
  assert.ok(answered >= 80 + SETTLE_MS_MAX);
});
