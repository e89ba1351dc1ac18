// Bundles typed modules, because Node 20 does not run TypeScript, and passes test files to Node's test runner. Bundled
// code finds eye and the sources through EYE_BIN and EYE_WEB.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const web = join(import.meta.dirname, "..");

/** The environment of bundled code. */
export function environment() {
  const program = resolve(process.env.EYE_BIN ?? join(web, "../target/debug/eye"));
  return { ...process.env, EYE_BIN: program, EYE_WEB: web };
}

/** Ends this program with an error if there is no eye binary to test. */
export function needsEye() {
  const { EYE_BIN: program } = environment();
  if (existsSync(program)) return;
  console.error(`error: no eye at ${program}\nhint: cargo build -p eye, or name another with EYE_BIN`);
  process.exit(1);
}

/** Runs esbuild with the options that all bundles share. */
export function bundle(options) {
  return build({
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    logLevel: "warning",
    ...options,
  });
}

/** Bundles one module and runs it; returns its exit status. */
export async function runBundled(source, out, args) {
  await bundle({ entryPoints: [source], outfile: out });
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", out, ...args], {
    stdio: "inherit",
    env: environment(),
  });
  rmSync(out);
  return status ?? 1;
}

/** The test files of a folder whose names contain one of these words; without words, all of them. */
export function testFiles(folder, words) {
  const named = (name) => words.length === 0 || words.some((word) => name.includes(word));
  const names = readdirSync(folder).filter((name) => name.endsWith(".test.ts") && named(name));
  if (names.length > 0) return names;
  console.error(`error: no test file is named like ${words.join(" or ")}`);
  process.exit(1);
}

/**
 * Runs test files of a folder and returns the status. EYE_TEST_NAME limits it to tests whose names match.
 * Each run has its own folder for bundles, because two runs may share a checkout.
 */
export async function runTests(folder, names, { flags = [], ...options } = {}) {
  const out = join(folder, "../.test-build", String(process.pid));
  await bundle({
    absWorkingDir: folder,
    entryPoints: names,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    ...options,
  });
  const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
  const only = process.env.EYE_TEST_NAME;
  const filter = only === undefined ? [] : [`--test-name-pattern=${only}`];
  const { status } = spawnSync(
    process.execPath,
    [...filter, "--enable-source-maps", "--test", "--test-reporter=spec", ...flags, ...files],
    { stdio: "inherit", env: environment() },
  );
  rmSync(out, { recursive: true, force: true });
  return status ?? 1;
}
