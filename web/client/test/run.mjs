// Bundles the tests, for Node 20 runs no TypeScript, and hands them to node's own runner.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../.test-build");
// `--unit` leaves out the files that drive a browser or a hub.
const unit = process.argv.includes("--unit");
const wanted = process.argv.slice(2).filter((word) => word !== "--unit");
const drives = (name) =>
  /from "\.\/(?:chromium|home|hub|webmcp-stage)\.js"/.test(readFileSync(join(here, name), "utf8"));
const names = readdirSync(here).filter(
  (name) =>
    name.endsWith(".test.ts") &&
    (wanted.length === 0 || wanted.some((part) => name.includes(part))) &&
    !(unit && drives(name)),
);

rmSync(out, { recursive: true, force: true });
await import("../build.mjs");
await build({
  absWorkingDir: here,
  entryPoints: names,
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  // Node takes the CommonJS of this one, and finds no names in it.
  alias: { "fast-json-patch": "fast-json-patch/index.mjs" },
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
    "--test-concurrency=1",
    "--test-timeout=180000",
    ...files,
  ],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
