// Programs in Node's own realm: exactly once, with the value of the last statement.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PROGRAMS_KEPT_MAX } from "../src/core/limits.js";
import { program } from "../src/core/program.js";
import { realmOf } from "../src/core/realm.js";

type Counted = typeof globalThis & { hits: number[] };

async function run(code: string): Promise<{ hits: number[]; value: unknown; threw: boolean }> {
  const realm = realmOf(globalThis, undefined);
  const counted = globalThis as Counted;
  counted.hits = [];
  let value: unknown;
  let threw = false;
  try {
    const made = program(realm, code);
    value = await (made === undefined ? realm.run(code) : made.run());
  } catch {
    threw = true;
  }
  return { hits: counted.hits, value, threw };
}

/** A statement that logs when it runs; its number shows whether it ran once, never or often. */
const statement = (at: number): fc.Arbitrary<{ code: string; hit: boolean }> =>
  fc.constantFrom(
    { code: `hits.push(${at})`, hit: true },
    { code: `hits.push(${at});`, hit: true },
    { code: `await hits.push(${at})`, hit: true },
    { code: `if (hits)\n hits.push(${at})`, hit: true },
    { code: `if (!hits)\n hits.push(${at})`, hit: false },
    { code: `if (!hits) {} else\n hits.push(${at})`, hit: true },
    { code: `for (const x of [1])\n hits.push(${at})`, hit: true },
    { code: `while (!hits)\n hits.push(${at})`, hit: false },
    { code: `label${at}:\n hits.push(${at})`, hit: true },
    { code: `do hits.push(${at})\nwhile (false)`, hit: true },
    { code: `let v${at} = hits.push(${at})`, hit: true },
    { code: `const {a${at} = hits.push(${at})} = {}`, hit: true },
    { code: `var w${at}\n;[hits.push(${at})]`, hit: true },
    { code: `class C${at} { static x = hits.push(${at}) }`, hit: true },
    { code: `function f${at}() {}\nhits.push(${at})`, hit: true },
    { code: `\`\${hits.push(${at})} ; await \``, hit: true },
    { code: `{ hits.push(${at}) }`, hit: true },
    { code: `hits\n.push(${at})`, hit: true },
    { code: `hits.push(\n${at}\n) // await ;`, hit: true },
    { code: `try { throw 0 } catch {\n hits.push(${at}) }`, hit: true },
    { code: `8 /hits.push(${at})/ 2`, hit: true },
    { code: `/;'"/.test(hits.push(${at}))`, hit: true },
  );

const script = fc
  .integer({ min: 1, max: 6 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => statement(at))));

test("every statement runs as often as it says, in order, with and without await", async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.boolean(), async (statements, awaits) => {
      const code = (awaits ? "await 0\n;" : "") + statements.map((one) => one.code).join("\n;");
      const expected = statements.flatMap((one, at) => (one.hit ? [at] : []));
      assert.deepEqual((await run(code)).hits, expected, code);
    }),
    { numRuns: 500 },
  );
});

test("a class at the very beginning is declared beside a function", async () => {
  const { hits, value, threw } = await run(
    "class First {}\nfunction second() {}\nawait hits.push(1)\nFirst.name + second.name",
  );
  assert.deepEqual([hits, value, threw], [[1], "Firstsecond", false]);
  assert.equal((await run("typeof First + typeof second")).value, "functionfunction");
});

test("code that does not compile does not run at all", async () => {
  await fc.assert(
    fc.asyncProperty(
      script,
      fc.constantFrom("(1", "1)", "}", "let 1", "await", "'", "`", "if"),
      async (statements, broken) => {
        const code = `await 0\n;${[...statements.map((one) => one.code), broken].join("\n;")}`;
        const outcome = await run(code);
        assert.deepEqual(outcome.hits, [], code);
        assert.ok(outcome.threw, code);
      },
    ),
  );
});

test("arbitrary text never runs twice and never hangs", async () => {
  const realm = realmOf(globalThis, undefined);
  await fc.assert(
    fc.asyncProperty(fc.string(), async (noise) => {
      const counted = globalThis as Counted;
      counted.hits = [];
      const code = `hits.push(1); await 0; ${JSON.stringify(noise)}; "${noise}"`;
      try {
        await program(realm, code)?.run();
      } catch {
        // Most random code is not valid JavaScript.
      }
      assert.ok(counted.hits.length <= 1);
    }),
  );
});

test("programs are kept by their text, within a limit", () => {
  const realm = realmOf(globalThis, undefined);
  assert.equal(program(realm, "{a:1}"), program(realm, "{a:1}"));
  const first = program(realm, "{first:1}");
  for (let at = 0; at < PROGRAMS_KEPT_MAX - 1; at++) program(realm, `{a:${at}}`);
  assert.equal(program(realm, "{first:1}"), first);
  for (let at = 0; at < PROGRAMS_KEPT_MAX; at++) program(realm, `{b:${at}}`);
  assert.notEqual(program(realm, "{first:1}"), first);
});

test("the value of code that ends with a block, if or try is that of the branch that ran", async () => {
  for (const [code, value] of [
    ["try { await 1 } catch { 2 }", 1],
    ["try { await Promise.reject(0) } catch (error) { error + 2 }", 2],
    ["try { await 1; 7 } finally { await 3 }", 7],
    ["let a1 = await 4\ntry { a1 + 1; } catch (e) { e }", 5],
    ["if (await 1) { 'yes' } else { 'no' }", "yes"],
    ["if (await 0) 'yes'; else 'no'", "no"],
    ["if (await 0) { 1 } else if (await 1) { 2 } else { 3 }", 2],
    ["if (await 1) {\n  const a = 2\n  a * 3\n}", 6],
    ["{ await 1; 8 }", 8],
    ["if (await 1) { if (0)\n hits.push(1)\n}", undefined],
    ["if (await 1) { for (const x of [1, 2]) hits.push(x) }", undefined],
    ["try { if (await 1) { ({ n: 1 }).n } } catch {}", 1],
    ["if (await 0) { 1 }", undefined],
    ["try { await 1; throw new Error('x') } catch (e) { e.message }", "x"],
  ] as const) {
    const ran = await run(code);
    assert.deepEqual([ran.value, ran.threw], [value, false], code);
  }
  assert.deepEqual((await run("if (await 1) { for (const x of [1, 2]) hits.push(x) }")).hits, [1, 2]);
  assert.deepEqual((await run("if (await 1) {\n if (!hits)\n hits.push(1)\n}")).hits, []);
});
