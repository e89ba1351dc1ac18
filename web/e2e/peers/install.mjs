// Installs third-party programs into target/mcp-peers, once for each version of their lists, and returns their paths.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makePython, run } from "../../harness/install.mjs";

// When bundled into a test, this file is in another folder; the runner sets where the sources are.
const here = process.env.EYE_WEB === undefined ? import.meta.dirname : join(process.env.EYE_WEB, "e2e/peers");
const LISTS = ["package.json", "requirements.txt"];

let installed;

/** The path of each program. Tried once per process: after a failure every caller gets the same error. */
export function peers() {
  installed ??= install();
  return installed;
}

async function install() {
  const lists = LISTS.map((name) => readFileSync(join(here, name), "utf8")).join("\n");
  const stamp = createHash("sha256").update(lists).digest("hex");
  const folder = resolve(process.env.EYE_PEERS ?? join(here, "../../../target/mcp-peers"));
  const stampFile = join(folder, "stamp");
  if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== stamp) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of LISTS) copyFileSync(join(here, name), join(folder, name));
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], folder);
    await makePython(join(folder, "python"), ["-r", "requirements.txt"], folder);
    writeFileSync(stampFile, stamp);
  }
  const modules = join(folder, "node_modules");
  return {
    node: join(modules, "node/bin/node"),
    conformance: join(modules, "@modelcontextprotocol/conformance/dist/index.js"),
    inspector: join(modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
    python: join(folder, "python/bin/python"),
  };
}
