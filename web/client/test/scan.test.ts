// The scanner: real uses of `await`, and texts that only look like it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scan } from "../src/core/scan.js";

const awaits = (code: string): boolean | undefined => scan(code)?.awaits;

for (const code of [
  "await x",
  "x = await y",
  "`${await x}`",
  "`a${`b${await x}`}`",
  "for await (const x of y) z",
  "[1].map(async x => await x)",
  "({ async m() { await x } })",
  "a / await b",
  "if (x) /'/.test(await y)",
  "x++ / await y",
  "({}) / await y / 2",
  "() => {}\n/`/.test(await y)",
]) {
  test(`await in ${JSON.stringify(code)}`, () => assert.equal(awaits(code), true));
}

for (const code of [
  "'await'",
  '"\\"await"',
  "`await`",
  "`\\${await x}`",
  "// await",
  "/* await\n */ 1",
  "x = /await/g",
  "x = /[/await]/",
  "return /await/",
  "x.await",
  "x?.await",
  "({ await: 1 })",
  "awaited + $await + await_",
  "(async () => { await x })()",
  "async function f() { if (x) { await y } }",
  "async function* g() { await y }",
  "x = async function () { await y }",
  "a /await_/ b",
]) {
  test(`no await in ${JSON.stringify(code)}`, () => assert.equal(awaits(code), false));
}

for (const code of ["'abc", "`abc", "(1", "1)", "[}", "`${1`"]) {
  test(`nothing is said about ${JSON.stringify(code)}`, () => assert.equal(awaits(code), undefined));
}

const text = fc.string({ unit: "binary" });

test("await inside of any string, template text, comment or regex is text", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const content = `${before} await ${after}`;
      assert.equal(awaits(JSON.stringify(content)), false);
      assert.equal(awaits(`\`${content.replace(/[`\\$]/g, "\\$&")}\``), false);
      assert.equal(awaits(`/*${content.replaceAll("*/", "")}*/1`), false);
      assert.equal(awaits(`//${content.replace(/[\n\r\u2028\u2029]/g, "")}\n1`), false);
      assert.equal(awaits(`x=/ ${content.replace(/[\n\r\u2028\u2029]/g, "").replace(/[\\/[\]]/g, "\\$&")}/`), false);
    }),
  );
});

test("await after any such text is found", () => {
  fc.assert(
    fc.property(text, (content) => {
      assert.equal(awaits(`x=${JSON.stringify(content)};await y`), true);
      assert.equal(awaits(`x=\`${content.replace(/[`\\$]/g, "\\$&")}\`;await y`), true);
      assert.equal(awaits(`/*${content.replaceAll("*/", "")}*/await y`), true);
    }),
  );
});

test("any text is scanned to an end, and tokens cover it in order", () => {
  fc.assert(
    fc.property(text, (code) => {
      const found = scan(code);
      let at = 0;
      for (const token of found?.tokens ?? []) {
        assert.ok(token.start >= at && token.end > token.start);
        assert.equal(code.slice(token.start, token.end), token.text);
        at = token.end;
      }
    }),
    { numRuns: 500 },
  );
});
