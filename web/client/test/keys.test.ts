// Keys as agents write them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { strokes } from "../src/act/keys.js";

const plain = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };

test("a key is a character or a name, with modifiers before it", () => {
  assert.deepEqual(strokes("a"), [{ key: "a", ...plain }]);
  assert.deepEqual(strokes("Control+Shift+z"), [{ key: "z", ...plain, ctrlKey: true, shiftKey: true }]);
  assert.deepEqual(strokes("cmd+Enter"), [{ key: "Enter", ...plain, metaKey: true }]);
  for (const [written, key] of [
    ["esc", "Escape"],
    ["enter", "Enter"],
    ["arrowdown", "ArrowDown"],
    ["down", "ArrowDown"],
    ["pageup", "PageUp"],
    ["Space", " "],
    [" ", " "],
    ["f5", "F5"],
    ["+", "+"],
  ] as const) {
    assert.deepEqual(strokes(written), [{ key, ...plain }], written);
  }
  assert.deepEqual(strokes("Control++"), [{ key: "+", ...plain, ctrlKey: true }]);
});

test("several keys have spaces between them", () => {
  assert.deepEqual(
    strokes("Tab  Tab Enter").map(({ key }) => key),
    ["Tab", "Tab", "Enter"],
  );
});

test("what is no key is said to be none", () => {
  assert.throws(() => strokes("Foo"), /no key Foo/);
  assert.throws(() => strokes("Hyper+a"), /no key Hyper in Hyper\+a/);
});
