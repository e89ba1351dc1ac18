// Signatures of tools, and search by words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rank } from "../src/agent/discover.js";
import { signature } from "../src/agent/signature.js";

const schema = (properties: object, ...required: string[]): object => ({ type: "object", properties, required });

for (const [tool, expected] of [
  [
    {
      name: "add",
      description: "Adds. Only numbers.",
      inputSchema: schema({ a: { type: "number" }, b: { type: "number" } }, "a"),
    },
    "add(a: number, b?: number) — Adds",
  ],
  [{ name: "now" }, "now()"],
  [
    {
      name: "move",
      inputSchema: schema({ to: { type: "array", items: { type: "number" } }, how: { enum: ["fast", "slow"] } }, "to"),
    },
    'move(to: number[], how?: "fast" | "slow")',
  ],
  [
    {
      name: "set",
      inputSchema: schema(
        { v: { type: ["string", "null"] }, w: { anyOf: [{ type: "number" }, { const: "auto" }] }, x: {} },
        "v",
        "w",
        "x",
      ),
    },
    'set(v: string | null, w: number | "auto", x: any)',
  ],
  [
    {
      name: "list",
      inputSchema: schema({ of: { type: "array", items: { type: ["string", "number"] } }, raw: { type: "array" } }),
    },
    "list(of?: (string | number)[], raw?: array)",
  ],
  [{ name: "two", description: "First line\nsecond line" }, "two() — First line"],
] as const) {
  test(expected, () => assert.equal(signature(tool), expected));
}

const TOOLS = [
  { name: "browser_click", description: "Click an element" },
  { name: "browser_getText", description: "Text of an element" },
  { name: "click", description: "Anything" },
  { name: "paint", description: "Draws on a click" },
];
const found = (query: string): string[] => rank(TOOLS, query).map(({ name }) => name);

test("an exact name comes first, then names, then descriptions", () => {
  assert.deepEqual(found("click"), ["click", "browser_click", "paint"]);
});

test("more of the words come before fewer, and words hide in camelCase", () => {
  assert.deepEqual(found("get text"), ["browser_getText"]);
  assert.deepEqual(found("browser element"), ["browser_click", "browser_getText"]);
});

test("nothing fits, or nothing is asked", () => {
  assert.deepEqual(found("zebra"), []);
  assert.equal(found("").length, 4);
});
