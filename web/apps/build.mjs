// Builds the apps and the console into dist/. A file of dist/ that comes out the same is not written again.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { replaceFolder } from "../assets.mjs";

const here = import.meta.dirname;
const built = join(here, ".tmp/dist");
const dist = join(here, "dist");

for (const [configFile, outDir] of [
  ["vite.config.ts", built],
  ["console/vite.config.ts", join(built, "console")],
])
  await build({ configFile: join(here, configFile), build: { outDir, emptyOutDir: true } });
mkdirSync(dist, { recursive: true });
replaceFolder(built, dist);
rmSync(built, { recursive: true });
