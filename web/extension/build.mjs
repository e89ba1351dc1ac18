// Builds the extension into the folder from which `eye extension` writes it: the worker and the permission screen as
// one file each. The parts of the variant without the debugger permission go to a folder next to it.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

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
  write(`${name}.js`, outputFiles[0].text, to);
}
const manifest = readFileSync(join(here, "manifest.json"), "utf8");
write("manifest.json", manifest);
// The variant without the debugger: the browser itself limits it to scripts in tabs and sites that the person allows.
const { permissions, ...rest } = JSON.parse(manifest);
const scripted = {
  ...rest,
  permissions: [...permissions.filter((name) => name !== "debugger"), "scripting", "activeTab"],
  optional_host_permissions: ["<all_urls>"],
};
write("manifest.json", `${JSON.stringify(scripted, null, 2)}\n`, scriptedFolder);
for (const name of ["popup.html", "popup.css"]) write(name, readFileSync(join(here, "src", name), "utf8"));
for (const name of ["icon16.png", "icon48.png", "icon128.png"])
  copyFileSync(join(here, "src", name), join(folder, name));

/** Keeps the file if its content is the same: Cargo rebuilds when an asset's modification time changes. */
function write(name, text, to = folder) {
  const path = join(to, name);
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
