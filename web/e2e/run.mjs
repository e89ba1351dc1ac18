// Runs the tests: `npm test -w eye-e2e -- gate reload` only the files whose names hold one of these words,
// EYE_TEST_NAME only the tests whose names match it. EYE_TEST_JOBS files run beside each other (1).

import { existsSync } from "node:fs";
import { join } from "node:path";
import { needsEye, runTests, testFiles } from "../harness/bundle.mjs";

const folder = join(import.meta.dirname, "test");
const names = testFiles(folder, process.argv.slice(2));
needsEye();
if (!existsSync(join(folder, "../../client/dist/index.js"))) await import("../client/build.mjs");
const flags = [`--test-concurrency=${process.env.EYE_TEST_JOBS ?? "1"}`, "--test-force-exit"];
process.exitCode = await runTests(folder, names, { flags });
