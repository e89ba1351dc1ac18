// Finds the programs that tests use: through an environment variable, or on PATH.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Distributions put servers here, and it is not on every PATH. */
const ADMINISTRATION = "/usr/sbin";

/** The program named by the variable, or the first of these names on PATH. */
export function findProgram(variable: string, ...names: readonly string[]): string {
  const named = process.env[variable];
  if (named !== undefined && named !== "") return named;
  const folders = [...(process.env.PATH ?? "").split(delimiter), ADMINISTRATION];
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no ${String(names[0])} on PATH; name one in ${variable}`);
  return found;
}

export function program(): string {
  const named = process.env.EYE_BIN;
  if (named === undefined) throw new Error("harness/bundle.mjs says where eye is");
  return named;
}

/** The folder `web/`: bundled code does not know its source folder. */
export function web(): string {
  const folder = process.env.EYE_WEB;
  if (folder === undefined) throw new Error("harness/bundle.mjs says where the sources are");
  return folder;
}
