// Values as answers, without a browser; cases that need one are in snippets.json.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { render } from "../src/core/render.js";

test("any JSON value is answered exactly", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (generated) => {
      // JSON.parse would keep -0, but JSON.stringify turns it into 0, so -0 is not a JSON value here.
      const json = JSON.stringify(generated);
      const value = JSON.parse(json) as unknown;
      assert.equal(render(value), typeof value === "string" ? `:${value}` : `=${json}`);
    }),
  );
});

test("anything at all has an answer that is JSON, text or a rendering", () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withSparseArray: true,
        withNullPrototype: true,
        withBoxedValues: true,
      }),
      (value) => {
        const answer = render(value);
        assert.match(answer, /^[:=~]/);
        if (answer.startsWith("=")) JSON.parse(answer.slice(1));
      },
    ),
    { numRuns: 1000 },
  );
});

test("a key called __proto__ survives a copy", () => {
  assert.equal(render(JSON.parse('{"__proto__":1,"a":null}')), '={"__proto__":1,"a":null}');
  assert.equal(render(new Map<string, unknown>([["__proto__", undefined]])), '={"__proto__":"undefined"}');
});

test("very deep values are cut", () => {
  let deep: unknown = 1;
  for (let at = 0; at < 100_000; at++) deep = [deep];
  assert.match(render(deep), /^=\[{100}"\[…\]"\]{100}$/);
});

test("values that fold out without end stay bounded", () => {
  let shared: unknown = [1];
  for (let at = 0; at < 60; at++) shared = [shared, shared];
  assert.match(render(shared), /^!-32603 the value has more than/);
  const endless: object = new Proxy(
    {},
    {
      ownKeys: () => ["a", "b"],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (_, key) => (key === "a" || key === "b" ? endless : undefined),
    },
  );
  assert.ok(render(endless).length > 0);
});

test("instances show their fields, but not their whole world", () => {
  class Node {
    next: Node | undefined;
  }
  const first = new Node();
  let last = first;
  for (let at = 0; at < 50; at++) last = last.next = new Node();
  assert.equal(render(first), '={"next":{"next":{"next":{"next":"[Node]"}}}}');
});

test("functions are shown by their name and parameters", () => {
  assert.equal(render((a: number) => a).replace(/\s/g, ""), "~ƒ(a)");
  assert.equal(render(Math.max), "~ƒ max()");
});
