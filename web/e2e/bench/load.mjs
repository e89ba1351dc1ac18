// Gives a benchmark the typed modules of the tests: Node 20 runs no TypeScript, so they are bundled first.

import { build } from "esbuild";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const e2e = join(import.meta.dirname, "..");

/** All that these modules export, in one object. They are bundled as one, for a class must not be there twice. */
export async function load(...modules) {
  process.env.EYE_BIN = resolve(process.env.EYE_BIN ?? join(e2e, "../../target/debug/eye"));
  const out = join(e2e, ".test-build", `bench-${process.pid}`);
  try {
    await build({
      stdin: { contents: modules.map((module) => `export * from "./${module}";`).join("\n"), resolveDir: e2e },
      outfile: join(out, "stage.mjs"),
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "warning",
    });
    return await import(pathToFileURL(join(out, "stage.mjs")).href);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
