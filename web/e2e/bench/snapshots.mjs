// A worker thread that asks the peer, agent-browser, for a snapshot of every page, one process at a time, while the
// main thread serves the pages.

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { removeFolder } from "../../harness/remove.mjs";

const ANSWER_MS_MAX = 60_000;
const { names, site, browser, flags, viewport } = workerData;
const program = process.env.AGENT_BROWSER ?? "agent-browser";
// In its own home and session, so that no other browser is affected.
const home = mkdtempSync(join(tmpdir(), "eye-bench-"));
const env = {
  ...process.env,
  HOME: home,
  XDG_RUNTIME_DIR: home,
  AGENT_BROWSER_SESSION: `eye-${process.pid}`,
  AGENT_BROWSER_EXECUTABLE_PATH: browser,
  AGENT_BROWSER_ARGS: flags.join(","),
};
const run = (...args) => spawnSync(program, args, { env, encoding: "utf8", timeout: ANSWER_MS_MAX });

const snapshots = new Map();
for (const name of names) {
  const opened = run("open", `${site}/${name}`);
  if (opened.status !== 0) {
    console.error(`note: no agent-browser: ${opened.error?.message ?? opened.stderr.trim()}`);
    break;
  }
  run("set", "viewport", String(viewport.width), String(viewport.height));
  snapshots.set(name, run("snapshot", "-i").stdout.trim());
  // Its refs are numbered across pages; a separate browser for each page keeps them short.
  run("close");
}
await removeFolder(home);
parentPort.postMessage(snapshots);
