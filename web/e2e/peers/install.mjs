// Installs the programs of others into target/mcp-peers, once for each list of them, and says where they are.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

// Bundled into a test, this file is elsewhere; the runner says where the sources are.
const here = process.env.EYE_WEB === undefined ? import.meta.dirname : join(process.env.EYE_WEB, "e2e/peers");
const LISTS = ["package.json", "requirements.txt"];

/** Where each program is. */
export function peers() {
  const lists = LISTS.map((name) => readFileSync(join(here, name), "utf8")).join("\n");
  const stamp = createHash("sha256").update(lists).digest("hex");
  const folder = resolve(process.env.EYE_PEERS ?? join(here, "../../../target/mcp-peers"));
  const stampFile = join(folder, "stamp");
  if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== stamp) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of LISTS) copyFileSync(join(here, name), join(folder, name));
    run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], folder);
    run("python3", ["-m", "venv", "python"], folder);
    run(join(folder, "python/bin/pip"), ["install", "--quiet", "-r", "requirements.txt"], folder);
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

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (error !== undefined || status !== 0) throw new Error(`${command} ${args.join(" ")} failed in ${cwd}`);
}
