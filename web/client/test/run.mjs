// Builds the client and runs its tests. `--unit` leaves out the files that drive a browser or a hub.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { needsEye, runTests, testFiles } from "../../harness/bundle.mjs";

const here = import.meta.dirname;
const unit = process.argv.includes("--unit");
const DRIVES = /from "(?:\.\.\/\.\.\/harness\/(?:chromium|home)|\.\/(?:browsers|hub|webmcp-stage))\.js"/;
const drives = (name) => DRIVES.test(readFileSync(join(here, name), "utf8"));
const words = process.argv.slice(2).filter((word) => word !== "--unit");
const names = testFiles(here, words).filter((name) => !(unit && drives(name)));

if (!unit) needsEye();
await import("../build.mjs");
process.exitCode = await runTests(here, names, {
  flags: ["--test-concurrency=1", "--test-timeout=180000"],
  // Node loads the CommonJS version of this package, and finds no named exports in it.
  alias: { "fast-json-patch": "fast-json-patch/index.mjs" },
});
