// Runs the tests: `npm test -w eye-e2e -- gate reload` runs only files whose names contain one of these words,
// EYE_TEST_NAME only tests whose names match it. EYE_TEST_JOBS files run in parallel (default 1).

import { existsSync } from "node:fs";
import { join } from "node:path";
import { needsEye, runTests, testFiles } from "../harness/bundle.mjs";

const folder = join(import.meta.dirname, "test");
const names = testFiles(folder, process.argv.slice(2));
needsEye();
if (!existsSync(join(folder, "../../client/dist/index.js"))) await import("../client/build.mjs");
const flags = [`--test-concurrency=${process.env.EYE_TEST_JOBS ?? "1"}`, "--test-force-exit"];
process.exitCode = await runTests(folder, names, { flags });
