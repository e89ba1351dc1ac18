// Builds the extension into the folder from which `eye extension` writes it: the worker and the permission screen as
// one file each. The parts of the variant without the debugger permission go to a folder next to it.

import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeIfOther } from "../assets.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "../../crates/eye-browser/assets/extension");
const scriptedFolder = join(here, "../../crates/eye-browser/assets/extension-scripted");
for (const one of [folder, scriptedFolder]) mkdirSync(one, { recursive: true });

for (const [name, format, to] of [
  ["worker", "esm", folder],
  ["popup", "esm", folder],
  ["relay", "iife", scriptedFolder],
]) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    bundle: true,
    entryPoints: [`src/${name}.ts`],
    format,
    target: "es2022",
    legalComments: "none",
    charset: "utf8",
    write: false,
    logLevel: "warning",
  });
  writeIfOther(join(to, `${name}.js`), outputFiles[0].text);
}
const manifest = readFileSync(join(here, "manifest.json"), "utf8");
writeIfOther(join(folder, "manifest.json"), manifest);
// The variant without the debugger: the browser itself limits it to scripts in tabs and sites that the person allows.
const { permissions, ...rest } = JSON.parse(manifest);
const scripted = {
  ...rest,
  permissions: [...permissions.filter((name) => name !== "debugger"), "scripting", "activeTab"],
  optional_host_permissions: ["<all_urls>"],
};
writeIfOther(join(scriptedFolder, "manifest.json"), `${JSON.stringify(scripted, null, 2)}\n`);
for (const name of ["popup.html", "popup.css", "icon16.png", "icon48.png", "icon128.png"])
  writeIfOther(join(folder, name), readFileSync(join(here, "src", name)));
