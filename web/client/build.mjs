// Builds the clients: dist/eye.js for a script tag with its parts beside it, dist/index.js for an import, the plugin
// and hooks for a project's own build, and the copies that the hub carries. Fails when a page would have to load more
// than the budget.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { writeIfOther } from "../assets.mjs";

const KIBIBYTE = 1024;
/** Gzipped bytes of what every page loads, and of everything that a page can load. */
export const CORE_BYTES_MAX = 16 * KIBIBYTE;
export const ALL_BYTES_MAX = 64 * KIBIBYTE;

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "../../crates/eye-hub/assets");
const shared = { absWorkingDir: here, bundle: true, target: "es2022", legalComments: "none", logLevel: "warning" };

mkdirSync(join(here, "dist"), { recursive: true });
mkdirSync(assets, { recursive: true });

/** Bundles what a hub serves into dist and into the hub's assets. Returns its size, gzipped. */
async function asset(name, options, folder = assets) {
  const { outputFiles } = await build({ ...shared, minify: true, write: false, ...options });
  const script = outputFiles[0].text;
  writeFileSync(join(here, "dist", name), script);
  writeIfOther(join(folder, name), script);
  const bytes = gzipSync(script, { level: 9 }).length;
  console.log(`${name} ${Buffer.byteLength(script)} bytes, ${bytes} gzipped`);
  return bytes;
}

function hold(what, bytes, bytesMax) {
  if (bytes > bytesMax) throw new Error(`${what}: ${bytes} bytes gzipped, over the budget of ${bytesMax}`);
}

const core = await asset("eye.js", { entryPoints: ["src/script.ts"], format: "iife" });
const parts = await asset("parts.js", { entryPoints: ["src/parts.ts"], format: "esm" });
const webmcp = await asset("webmcp.js", { entryPoints: ["src/webmcp/part.ts"], format: "esm" });
// What eye's own browser puts into pages carries everything, and is not loaded by any page.
const driven = join(here, "../../crates/eye-browser/assets");
mkdirSync(driven, { recursive: true });
for (const [name, from] of Object.entries({ driven: "whole", "driven-page": "page", "driven-hands": "hands" }))
  await asset(`${name}.js`, { entryPoints: [`src/driven/${from}.ts`], format: "iife" }, driven);
hold("eye.js", core, CORE_BYTES_MAX);
hold("eye.js and its parts", core + parts + webmcp, ALL_BYTES_MAX);

await build({ ...shared, entryPoints: ["src/index.ts"], outfile: "dist/index.js", format: "esm" });
await build({ ...shared, entryPoints: ["src/btcp/index.ts"], outfile: "dist/btcp/index.js", format: "esm" });
// Vite, React and Vue are the project's own; hot.js runs in its pages.
for (const name of ["vite/index", "vite/hot", "react/index", "vue/index"]) {
  await build({
    ...shared,
    entryPoints: [`src/${name}.ts`],
    outfile: `dist/${name}.js`,
    format: "esm",
    packages: "external",
    platform: name === "vite/index" ? "node" : "browser",
  });
}
