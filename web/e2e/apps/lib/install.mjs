// Installs the applications' dependencies, once per lock file: npm packages below this folder, Python packages below
// target/. Builds the host pages.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { makePython, run, works } from "../../../harness/install.mjs";

const here = join(import.meta.dirname, "..");
const target = resolve(here, "../../../target/corpus");

/** Packages of the light applications; with `all` those of every application, with `peer` also agent-browser. */
export async function installPackages({ all, peer }) {
  const omitted = [...(all ? [] : ["--omit=optional"]), ...(peer ? [] : ["--omit=dev"])];
  const lock = readFileSync(join(here, "package-lock.json"));
  const stampFile = join(here, "node_modules/.eye-lock");
  const stamp = createHash("sha256").update(lock).digest("hex");
  const installed = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {};
  const isThere = installed.stamp === stamp && (installed.all || !all) && (installed.peer || !peer);
  if (isThere) return;
  // Install scripts are not needed and not run: agent-browser includes its binaries.
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...omitted], here);
  writeFileSync(stampFile, JSON.stringify({ stamp, all, peer }));
}

/**
 * Builds the pages of these applications, unless nothing changed since, and returns their folder. `every`: all pages.
 */
export async function buildPages(pages, every) {
  const isBuilt = (some) => {
    const file = join(folderOf(some), "stamp");
    return existsSync(file) && readFileSync(file, "utf8") === contents(some);
  };
  if (isBuilt(every)) return folderOf(every);
  const out = folderOf(pages);
  if (isBuilt(pages)) return out;
  // Applications in Python alone: there is nothing that Vite could build.
  if (pages.length === 0) {
    mkdirSync(out, { recursive: true });
    return out;
  }
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js");
  const env = { ...process.env, CORPUS_PAGES: pages.join(","), CORPUS_OUT: out };
  await run(process.execPath, [vite, "build", "--config", join(here, "vite.config.mjs")], here, env);
  writeFileSync(join(out, "stamp"), contents(pages));
  return out;
}

function folderOf(pages) {
  return join(target, `site-${pages.length}`);
}

/** A Python environment with the packages of requirements.txt; `undefined` without Python. */
export async function installPython() {
  const requirements = readFileSync(join(here, "requirements.txt"), "utf8");
  const folder = join(target, "python");
  const python = join(folder, "bin/python");
  const stampFile = join(folder, "stamp");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === requirements) return python;
  if (!(await works("python3", ["-c", "import venv, ensurepip"]))) return undefined;
  mkdirSync(target, { recursive: true });
  await makePython(folder, ["-r", join(here, "requirements.txt")], target);
  writeFileSync(stampFile, requirements);
  return python;
}

/** A digest of all inputs of a build. */
function contents(pages) {
  const files = readdirSync(join(here, "pages")).map((name) => join(here, "pages", name));
  const hash = createHash("sha256").update(pages.join());
  for (const file of [...files, join(here, "package-lock.json"), join(here, "vite.config.mjs")].sort())
    hash.update(file).update(readFileSync(file));
  return hash.digest("hex");
}
