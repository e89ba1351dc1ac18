// Writes built files only where they differ: Cargo compiles the hub again when the time of a file changes that is
// embedded in it.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes text or bytes, unless the file holds just them. */
export function writeIfOther(path, content) {
  const bytes = Buffer.from(content);
  if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes);
}

/** Makes a folder equal to a newly built one, and leaves the files alone that are equal already. */
export function replaceFolder(built, folder) {
  const names = new Set(filesOf(built));
  for (const name of names) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeIfOther(path, readFileSync(join(built, name)));
  }
  for (const name of filesOf(folder)) if (!names.has(name)) rmSync(join(folder, name));
}

/** The paths of all files below a folder, relative to it. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
}
