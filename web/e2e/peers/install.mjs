// Installs the programs of others into target/mcp-peers, once for each list of them, and says where they are.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makePython, run } from "../../harness/install.mjs";

// Bundled into a test, this file is elsewhere; the runner says where the sources are.
const here = process.env.EYE_WEB === undefined ? import.meta.dirname : join(process.env.EYE_WEB, "e2e/peers");
const LISTS = ["package.json", "requirements.txt"];

let installed;

/** Where each program is. One try in a process: what cannot be had is told to all who ask, without another. */
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
