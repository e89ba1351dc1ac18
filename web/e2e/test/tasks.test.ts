// Five whole tasks, done in a shell as an agent does them, within limits of calls and tokens, in a page that has joined
// and in a browser that eye starts; and the session with which this project began. The limits are slightly above the
// measured values, so that a longer answer is noticed here.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Course } from "../tasks/course.js";
import type { Shell } from "../tasks/shell.js";
import { ICON, TASKS } from "../tasks/tasks.js";

const MOST: Readonly<Record<string, { readonly calls: number; readonly tokens: number }>> = {
  "sign up and verify": { calls: 3, tokens: 200 },
  "why a button fails": { calls: 2, tokens: 100 },
  "wait for a job": { calls: 1, tokens: 65 },
  "a value passes a threshold": { calls: 2, tokens: 65 },
  "move a window": { calls: 3, tokens: 250 },
  [ICON.name]: { calls: 3, tokens: 150 },
};

let course: Course;

before(async () => {
  course = await Course.open();
});
after(() => course.close());

for (const task of [...TASKS, ICON]) {
  const most = MOST[task.name];
  assert.ok(most !== undefined, task.name);
  const bounds = `calls ≤ ${String(most.calls)}, tokens ≤ ${String(most.tokens)}`;
  const within = (shell: Shell): void => {
    const { calls, written, read } = shell.counts();
    assert.ok(
      calls <= most.calls && written + read <= most.tokens,
      `${String(calls)} calls, ${String(written + read)} tokens:\n${shell.transcript()}`,
    );
  };
  test(`${task.name}: ${bounds}`, async () => within(await course.withEye(task)));
  test(`${task.name}, with hands: ${bounds}`, async () => within(await course.withHands(task)));
}
