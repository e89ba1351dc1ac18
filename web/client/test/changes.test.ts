// The reported changes of an action, from two outlines of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { changes, SEPARATOR } from "../src/look/changes.js";

test("pieces that came, went, or say something else about the same element", () => {
  assert.deepEqual(
    changes(
      ["# Cart", `e1 Name: _${SEPARATOR}e2 [Buy]`, "old"],
      ["# Cart", `e1 Name: Ada${SEPARATOR}e2 [Buy]`, " e3 [Undo]"],
    ),
    ["~ e1 Name: Ada", "+ e3 [Undo]", "- old"],
  );
  assert.deepEqual(changes(["e1 [A]"], ["  e1 [A]"]), [], "a line that moved is no change");
});

test("a line that is there twice is not the same as once", () => {
  assert.deepEqual(changes(["Error"], ["Error", "Error"]), ["+ Error"]);
  assert.deepEqual(changes(["Error", "Error"], ["Error"]), ["- Error"]);
});

test("of much that went only the first is told, of much that came the most", () => {
  const many = Array.from({ length: 40 }, (_, at) => `e${String(at)} [B${String(at)}]`);
  assert.deepEqual(changes(many.slice(0, 12), []), ["- e0 [B0]", "- e1 [B1]", "- e2 [B2]", "- … 9 more"]);
  const came = changes([], many);
  assert.deepEqual([came.length, came.at(-1)], [25, "… 16 more changes"]);
});
