// Bundles the apps' unit tests, for Node 20 runs no TypeScript, and hands them to node's own runner. No browser is
// needed.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const out = join(here, "../.test-build", String(process.pid));
const wanted = process.argv.slice(2);
const names = readdirSync(here).filter(
  (name) => name.endsWith(".test.ts") && (wanted.length === 0 || wanted.some((part) => name.includes(part))),
);
if (names.length === 0) {
  console.error(`error: no test file is named like ${wanted.join(" or ")}`);
  process.exit(1);
}

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
  sourcemap: "inline",
  logLevel: "warning",
});
const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=spec", ...files], {
  stdio: "inherit",
});
rmSync(out, { recursive: true, force: true });
process.exitCode = status ?? 1;
