// Loads the tests' typed modules for a benchmark.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, environment } from "./bundle.mjs";

const web = join(import.meta.dirname, "..");

/** Each has a file of its own, because a module is imported once. */
let loads = 0;

/**
 * All exports of these modules of `web/` in one object. They are bundled together, because a class must not exist
 * twice.
 */
export async function load(...modules) {
  Object.assign(process.env, environment());
  const out = join(web, "e2e/.test-build", `bench-${process.pid}-${++loads}`);
  try {
    await bundle({
      stdin: { contents: modules.map((module) => `export * from "./${module}";`).join("\n"), resolveDir: web },
      outfile: join(out, "stage.mjs"),
    });
    return await import(pathToFileURL(join(out, "stage.mjs")).href);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
