// Bundles the tests, for Node 20 runs no TypeScript, and hands them to node's own runner.
// `npm test -w eye-e2e -- gate reload` runs only the files whose names hold one of these words,
// EYE_TEST_NAME only the tests whose names match it. EYE_TEST_JOBS files run beside each other (1).

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
// A folder of this run, for two people may test in one checkout.
const out = join(here, ".test-build", String(process.pid));
const wanted = process.argv.slice(2);
const names = readdirSync(join(here, "test")).filter(
  (name) => name.endsWith(".test.ts") && (wanted.length === 0 || wanted.some((part) => name.includes(part))),
);
if (names.length === 0) {
  console.error(`error: no test file is named like ${wanted.join(" or ")}`);
  process.exit(1);
}

const program = resolve(process.env.EYE_BIN ?? join(here, "../../target/debug/eye"));
if (!existsSync(program)) {
  console.error(`error: no eye at ${program}\nhint: cargo build -p eye, or name another with EYE_BIN`);
  process.exit(1);
}
if (!existsSync(join(here, "../client/dist/index.js"))) await import("../client/build.mjs");

await build({
  absWorkingDir: join(here, "test"),
  entryPoints: names,
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const only = process.env.EYE_TEST_NAME;
const filter = only === undefined ? [] : [`--test-name-pattern=${only}`];
const { status } = spawnSync(
  process.execPath,
  [
    ...filter,
    "--enable-source-maps",
    "--test",
    "--test-reporter=spec",
    `--test-concurrency=${process.env.EYE_TEST_JOBS ?? "1"}`,
    "--test-force-exit",
    ...files,
  ],
  {
    stdio: "inherit",
    env: { ...process.env, EYE_BIN: program, EYE_WEB: join(here, "..") },
  },
);
rmSync(out, { recursive: true, force: true });
process.exitCode = status ?? 1;
