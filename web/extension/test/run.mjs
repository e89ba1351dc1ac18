// Runs the extension's unit tests. Needs no browser.

import { runTests, testFiles } from "../../harness/bundle.mjs";

const here = import.meta.dirname;
process.exitCode = await runTests(here, testFiles(here, process.argv.slice(2)));
