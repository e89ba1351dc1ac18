// Builds the extension into the folder from which `eye extension` writes it: the worker and the permission screen as
// one file each.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "../../crates/eye-browser/assets/extension");
mkdirSync(folder, { recursive: true });

for (const name of ["worker", "popup"]) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    bundle: true,
    entryPoints: [`src/${name}.ts`],
    format: "esm",
    target: "es2022",
    legalComments: "none",
    charset: "utf8",
    write: false,
    logLevel: "warning",
  });
  write(`${name}.js`, outputFiles[0].text);
}
write("manifest.json", readFileSync(join(here, "manifest.json"), "utf8"));
for (const name of ["popup.html", "popup.css"]) write(name, readFileSync(join(here, "src", name), "utf8"));
for (const name of ["icon16.png", "icon48.png", "icon128.png"])
  copyFileSync(join(here, "src", name), join(folder, name));

/** Cargo builds again when an asset's time changes, so one that is the same stays as it is. */
function write(name, text) {
  const path = join(folder, name);
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
