// What JSON makes of a value, and what changed since: held against JSON itself and a library for patches.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyPatch, type Operation } from "fast-json-patch";
import { copyOf, differenceOf, isTree, jsonOf, type Tree } from "../src/state/difference.js";

/** As JSON makes it; `undefined` where it makes nothing of it or refuses. */
function throughJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch {
    return undefined;
  }
}

/** Values that are no JSON: dates, boxed values, holes, maps, typed arrays, `undefined`, functions. */
const anything = fc.anything({
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withObjectString: true,
  maxDepth: 4,
});
const spiced = fc.oneof(
  anything,
  fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "__proto__", "toString", "a/b", "~"), fc.string()), anything),
  fc.array(
    fc.oneof(
      anything,
      fc.constant(() => 1),
      fc.constant({ toJSON: (key: string) => ({ key, half: 0.5 }) }),
    ),
  ),
);

test("a copy is what JSON makes of a value", () => {
  fc.assert(
    fc.property(spiced, (value) => {
      const expected = throughJson([value]) as unknown[] | undefined;
      if (expected === undefined) {
        assert.throws(() => copyOf([value]));
        return;
      }
      assert.deepEqual(copyOf([value]), expected);
      assert.equal(JSON.stringify(copyOf([value])), JSON.stringify([value]));
    }),
    { numRuns: 2_000 },
  );
});

test("a difference leads from one document to the next, and changes neither", () => {
  fc.assert(
    fc.property(spiced, spiced, fc.boolean(), (one, other, wrapped) => {
      const [before, after] = wrapped
        ? [
            { same: 1, one },
            { one: other, same: 1 },
          ]
        : [
            [1, one],
            [1, other, 2],
          ];
      const [old, expected] = [throughJson(before), throughJson(after)];
      if (old === undefined || expected === undefined) return;
      const copy = copyOf(before);
      const { copy: next, patch, chars } = differenceOf(copy, after);
      assert.deepEqual(next, expected);
      assert.deepEqual(copy, old);
      assert.equal(next === copy, patch.length === 0);
      const grown = JSON.stringify(next).length - JSON.stringify(copy).length;
      assert.ok(Math.abs(chars - grown) <= patch.length, `${chars} for ${grown}`);
      // The library refuses to write this name.
      if (patch.some(({ path }) => path.includes("__proto__"))) return;
      const operations = JSON.parse(JSON.stringify(patch)) as Operation[];
      assert.deepEqual(applyPatch(old, operations).newDocument, expected);
    }),
    { numRuns: 2_000 },
  );
});

test("only what changed is copied", () => {
  const live = { rows: [{ n: 1 }, { n: 2 }], still: { deep: [1, 2, 3] } };
  const copy = copyOf(live) as typeof live;
  live.rows[1] = { n: 3 };
  const { copy: next, patch } = differenceOf(copy as Tree, live) as { copy: unknown; patch: unknown };
  assert.deepEqual(patch, [{ op: "replace", path: "/rows/1/n", value: 3 }]);
  assert.equal((next as typeof live).still, copy.still);
  assert.equal((next as typeof live).rows[0], copy.rows[0]);
  assert.equal(copy.rows[1]?.n, 2);
});

test("members that come, go and change places", () => {
  const patchOf = (before: object, after: object): unknown => differenceOf(copyOf(before), after).patch;
  assert.deepEqual(patchOf({ a: 1, b: 2 }, { b: 2, a: 1 }), []);
  assert.deepEqual(patchOf({ a: 1, b: 2, c: 3 }, { c: 3, d: 4 }), [
    { op: "add", path: "/d", value: 4 },
    { op: "remove", path: "/a" },
    { op: "remove", path: "/b" },
  ]);
  assert.deepEqual(patchOf({ a: 1, b: 2 }, { a: undefined, b: 2 }), [{ op: "remove", path: "/a" }]);
  assert.deepEqual(patchOf({ toString: 1 }, { valueOf: 1 }), [
    { op: "add", path: "/valueOf", value: 1 },
    { op: "remove", path: "/toString" },
  ]);
  assert.deepEqual(patchOf([1, 2, 3], [1]), [
    { op: "remove", path: "/2" },
    { op: "remove", path: "/1" },
  ]);
  assert.deepEqual(patchOf({ a: [1] }, { a: { 0: 1 } }), [{ op: "replace", path: "/a", value: { 0: 1 } }]);
});

test("members are the value's own, whatever it inherits", () => {
  class Row {
    own: unknown = 1;
    get inherited(): number {
      return 5;
    }
  }
  const row = Object.assign(Object.create({ inherited: 2 }) as object, { own: 1 });
  const bare = Object.assign(Object.create(null) as object, { own: 1 });
  const patchOf = (before: object, after: object): unknown => differenceOf(copyOf(before), after).patch;
  for (const value of [new Row(), row, bare]) {
    assert.deepEqual(patchOf({ own: 1 }, value), []);
    assert.deepEqual(patchOf({ own: 1, inherited: 2 }, value), [{ op: "remove", path: "/inherited" }]);
    assert.deepEqual(patchOf({ rows: [{}] }, { rows: [value] }), [{ op: "add", path: "/rows/0/own", value: 1 }]);
  }
});

test("a page that adds to what all objects inherit changes nothing", () => {
  const cases: [object, object][] = [
    [{ a: 1 }, { a: 2 }],
    [{}, { shade: 5, grey: 6 }],
    [{ shade: 5, grey: 6 }, {}],
    [{ shade: 5 }, { shade: 5, a: [{ shade: 5 }] }],
  ];
  const base = Object.prototype as Record<string, unknown>;
  Object.defineProperty(base, "shade", { value: 5, configurable: true, writable: true });
  base.grey = 6;
  try {
    for (const [before, after] of cases) {
      const { copy, patch } = differenceOf(copyOf(before), after);
      assert.deepEqual(Object.entries(copy), Object.entries(JSON.parse(JSON.stringify(after)) as object));
      const applied = Object.entries(applyPatch(before, patch as Operation[]).newDocument);
      assert.deepEqual(applied, Object.entries(after));
    }
  } finally {
    for (const name of ["shade", "grey"]) delete base[name];
  }
});

test("with origins, a part that is the same object is not looked into", () => {
  let looks = 0;
  const row = (n: number): object => ({
    get n() {
      looks++;
      return n;
    },
  });
  const origins = new WeakMap<object, object>();
  const before = { rows: [row(1), row(2), row(3)] };
  const copy = copyOf(before, origins);
  looks = 0;
  const after = { rows: [...before.rows.slice(0, 2), row(4)] };
  const { copy: next, patch } = differenceOf(copy, after, origins);
  assert.equal(looks, 1);
  assert.deepEqual(patch, [{ op: "replace", path: "/rows/2/n", value: 4 }]);
  looks = 0;
  assert.deepEqual(differenceOf(next, after, origins).patch, []);
  assert.deepEqual(differenceOf(next, { rows: [...after.rows] }, origins).patch, []);
  assert.equal(looks, 0);
});

test("a getter that throws, and what contains itself, are the source's own error", () => {
  const copy = copyOf({ a: 1, b: 2 });
  const broken = {
    a: 5,
    get b(): number {
      throw new Error("no b");
    },
  };
  assert.throws(() => differenceOf(copy, broken), /no b/);
  assert.deepEqual(copy, { a: 1, b: 2 });
  const loop: Record<string, unknown> = { a: 1 };
  loop.b = loop;
  assert.throws(() => differenceOf(copy, loop), TypeError);
  assert.throws(() => jsonOf(1n, "n"), TypeError);
  assert.equal(isTree(jsonOf(new Number(5), "n")), false);
});
