// Checks the structure of the sources and the build: no import cycles, and sizes within their budgets.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { web } from "../../harness/program.js";

// The tests run from their bundles, one folder below the package.
const PACKAGE = resolve(web(), "client");
const KIBIBYTE = 1024;

type Graph = ReadonlyMap<string, readonly string[]>;

/** Every import counts: of types and values, dynamic imports and re-exports. */
function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)\.js"/g);
  return [...found].map(([, path = ""]) => join(dirname(file), `${path}.ts`));
}

function graphOf(root: string): Graph {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), "utf8"))]));
}

/** The first import cycle, as the list of its files. */
function circleIn(graph: Graph): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test("a circle is found, of whatever imports it is made", () => {
  const files: Readonly<Record<string, string>> = {
    "a.ts": 'import { b } from "./in/b.js";',
    "in/b.ts": 'export type { C } from "../c.js";',
    "c.ts": 'const a = () => import("./a.js");',
    "d.ts": 'import "./c.js";',
  };
  const graph = new Map(Object.entries(files).map(([file, text]) => [file, importsOf(file, text)]));
  assert.deepEqual(circleIn(graph), ["a.ts", join("in", "b.ts"), "c.ts", "a.ts"]);
});

test("no file of the client imports itself, directly or through others", () => {
  const graph = graphOf(join(PACKAGE, "src"));
  assert.ok((graph.get(join("core", "connect.ts")) ?? []).includes(join("core", "link.ts")), "imports are read");
  for (const [file, imports] of graph) for (const one of imports) assert.ok(graph.has(one), `${file} imports ${one}`);
  assert.equal(circleIn(graph)?.join(" → "), undefined);
});

test("what a page loads fits its budget", () => {
  const sizes = ["eye.js", "parts.js", "webmcp.js"].map(
    (name) => gzipSync(readFileSync(join(PACKAGE, "dist", name)), { level: 9 }).length,
  );
  const [core = 0] = sizes;
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
  assert.ok(core > 0 && core <= 16 * KIBIBYTE, `eye.js is ${core} bytes gzipped`);
  assert.ok(all <= 64 * KIBIBYTE, `all parts are ${all} bytes gzipped`);
});
