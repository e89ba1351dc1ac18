// Where the requested area is in a picture of a window.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../src/guard.js";
import { place } from "../src/picture.js";
import type { Metrics } from "../src/relay.js";

const METRICS: Metrics = {
  ...{ pageX: 0, pageY: 300, width: 800, height: 600, clientWidth: 785, clientHeight: 600 },
  ...{ contentWidth: 785, contentHeight: 5000, density: 2, pinched: 1 },
};
const BITMAP = { width: 1600, height: 1200 };

function at(x: number, y: number, width: number, height: number, metrics: Metrics = METRICS, bitmap = BITMAP): unknown {
  return place({ format: "png", clip: { x, y, width, height, scale: 1 } }, metrics, bitmap);
}

test("what is in view is found by the page's scroll and the screen's density", () => {
  assert.deepEqual(at(0, 300, 785, 600), [0, 0, 1570, 1200]);
  assert.deepEqual(at(10, 350, 100, 20), [20, 100, 200, 40]);
});

test("what is not in view is refused, and so is a page whose measures are not the picture's", () => {
  assert.throws(() => at(0, 0, 785, 600), Refusal);
  assert.throws(() => at(0, 300, 785, 5000), Refusal);
  assert.throws(() => at(-20, 300, 100, 100), Refusal);
  assert.throws(() => at(0, 300, 785, 600, { ...METRICS, pinched: 1.5 }), Refusal);
  assert.throws(() => at(0, 300, 785, 600, METRICS, { width: 1600, height: 900 }), Refusal);
});
