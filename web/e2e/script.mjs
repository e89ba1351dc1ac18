// Bundles and runs one of the scripts beside the tests: `node script.mjs console-pictures`,
// `node script.mjs console-load`. They drive a real hub and a real browser, as the tests do, and print or write what
// they find.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const [name = "", ...args] = process.argv.slice(2);
const source = join(here, "scripts", `${name}.ts`);
if (!existsSync(source)) {
  console.error(`error: there is no script ${name}`);
  process.exit(1);
}
const out = join(here, ".test-build", `${name}-${String(process.pid)}.mjs`);
await build({
  entryPoints: [source],
  outfile: out,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "inline",
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--enable-source-maps", out, ...args], {
  stdio: "inherit",
  env: {
    ...process.env,
    EYE_BIN: resolve(process.env.EYE_BIN ?? join(here, "../../target/debug/eye")),
    EYE_WEB: join(here, ".."),
  },
});
rmSync(out);
process.exit(status ?? 1);
