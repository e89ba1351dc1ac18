// Bundles a fixture page that is written in TypeScript, as a site's own build would.

import { build } from "esbuild";
import { join } from "node:path";
import { web } from "../../harness/program.js";

export async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(web(), "e2e/pages", name)],
    bundle: true,
    write: false,
    minify: true,
    jsx: "automatic",
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    logLevel: "warning",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${name} became nothing`);
  return file.text;
}
