// Bundles the tests, for Node 20 runs no TypeScript, and hands them to node's own runner.

import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../.test-build", String(process.pid));
const names = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
await build({
  absWorkingDir: here,
  entryPoints: names,
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
});
const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...files], { stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
process.exitCode = status ?? 1;
