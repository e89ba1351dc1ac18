// Bundles and runs one of the scripts next to the tests, such as `node script.mjs console-pictures` or
// `node script.mjs console-load`. Like the tests, they use a real hub and a real browser, and print or write their
// results.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { runBundled } from "../harness/bundle.mjs";

const here = import.meta.dirname;
const [name = "", ...args] = process.argv.slice(2);
const source = join(here, "scripts", `${name}.ts`);
if (!existsSync(source)) {
  console.error(`error: there is no script ${name}`);
  process.exit(1);
}
process.exitCode = await runBundled(source, join(here, ".test-build", `${name}-${String(process.pid)}.mjs`), args);
