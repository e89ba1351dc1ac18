// Counts what one look at ten pages costs an agent, in o200k tokens: `eye look`, `eye look --all`, and `agent-browser snapshot -i`.
// `node bench/look-tokens.mjs [PAGE…]`; agent-browser is named in AGENT_BROWSER or found on PATH, and left out if there is none. `--show` prints the outlines.

import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { Worker } from "node:worker_threads";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { chromium } from "playwright-core";

const here = import.meta.dirname;
const pages = join(here, "../pages");
const dist = join(here, "../../client/dist");
const browserPath = process.env.EYE_CHROMIUM ?? "/usr/bin/chromium";
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const VIEWPORT = { width: 1280, height: 720 };

const show = process.argv.includes("--show");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const names = readdirSync(pages).filter((name) => name.endsWith(".html")).map((name) => basename(name, ".html")).filter((name) => wanted.length === 0 || wanted.includes(name));

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://site");
  try {
    if (pathname.endsWith(".js")) {
      response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(join(dist, basename(pathname))));
      return;
    }
    const text = readFileSync(join(pages, `${basename(pathname)}.html`), "utf8");
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(searchParams.has("eye") ? text.replace("<head>", '<head><script src="/eye.js"></script>') : text);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const site = `http://localhost:${server.address().port}`;

/** Snapshots of every page by the peer, in a session and home of its own. Its text runs in a thread, which has its modules. */
function peer() {
  /* global spawnSync, mkdtempSync, rmSync, tmpdir */
  const home = mkdtempSync(join(tmpdir(), "eye-bench-"));
  const program = process.env.AGENT_BROWSER ?? "agent-browser";
  const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, AGENT_BROWSER_SESSION: `eye-${process.pid}`, AGENT_BROWSER_EXECUTABLE_PATH: browserPath, AGENT_BROWSER_ARGS: flags.join(",") };
  const run = (...args) => spawnSync(program, args, { env, encoding: "utf8", timeout: 60_000 });
  const snapshots = new Map();
  try {
    for (const name of names) {
      const opened = run("open", `${site}/${name}`);
      if (opened.status !== 0) {
        console.error(`note: no agent-browser: ${opened.error?.message ?? opened.stderr.trim()}`);
        return undefined;
      }
      run("set", "viewport", String(VIEWPORT.width), String(VIEWPORT.height));
      snapshots.set(name, run("snapshot", "-i").stdout.trim());
      // Its refs count on over pages; a browser for each keeps them short.
      run("close");
    }
    return snapshots;
  } finally {
    run("close");
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function ours() {
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  const looks = new Map();
  for (const name of names) {
    const page = await browser.newPage({ viewport: VIEWPORT });
    await page.goto(`${site}/${name}?eye`);
    const view = await page.evaluate("eye.look()");
    const began = await page.evaluate("performance.now()");
    const all = await page.evaluate("eye.look({ all: true })");
    looks.set(name, { view, all, ms: (await page.evaluate("performance.now()")) - began });
    await page.close();
  }
  await browser.close();
  return looks;
}

// The peer is asked from a thread: it loads its pages from the server of this one, which must go on meanwhile.
async function inThread() {
  const source = `const { workerData, parentPort } = require("node:worker_threads");
    const { spawnSync } = require("node:child_process"); const { mkdtempSync, rmSync } = require("node:fs");
    const { tmpdir } = require("node:os"); const { join } = require("node:path");
    const { names, site, browserPath, flags, VIEWPORT } = workerData; ${peer.toString()} parentPort.postMessage(peer());`;
  const worker = new Worker(source, { eval: true, workerData: { names, site, browserPath, flags, VIEWPORT } });
  return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
}

const looks = await ours();
const snapshots = await inThread();
const tokens = (text) => encode(text).length;
const sum = { peer: 0, all: 0, view: 0 };
console.log("page        snapshot -i   look --all   look      --all / -i   ms");
for (const name of names) {
  const { view, all, ms } = looks.get(name);
  const theirs = snapshots?.get(name) ?? "";
  if (show) console.log(`\n=== ${name}\n--- look\n${view}\n--- all\n${all}\n--- agent-browser\n${theirs}\n`);
  const row = { peer: tokens(theirs), all: tokens(all), view: tokens(view) };
  for (const key of Object.keys(sum)) sum[key] += row[key];
  console.log(`${name.padEnd(12)}${String(row.peer).padStart(11)}${String(row.all).padStart(13)}${String(row.view).padStart(7)}${(row.peer === 0 ? "" : (row.all / row.peer).toFixed(2)).padStart(16)}${ms.toFixed(0).padStart(5)}`);
}
console.log(`${"sum".padEnd(12)}${String(sum.peer).padStart(11)}${String(sum.all).padStart(13)}${String(sum.view).padStart(7)}${(sum.peer === 0 ? "" : (sum.all / sum.peer).toFixed(2)).padStart(16)}`);
server.close();
server.closeAllConnections();
