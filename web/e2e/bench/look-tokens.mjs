// Counts the cost of one look at ten pages in o200k tokens: `eye look`, `eye look --all`, and
// `agent-browser snapshot -i`. `node bench/look-tokens.mjs [PAGE…]`; AGENT_BROWSER or PATH names agent-browser,
// which is left out if missing. `--show` prints the outlines.

import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { Worker } from "node:worker_threads";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { load } from "../../harness/load.mjs";

const here = import.meta.dirname;
const pages = join(here, "../pages");
const dist = join(here, "../../client/dist");
const { FLAGS: flags, findChromium, startChromium } = await load("harness/chromium.js");
const viewport = { width: 1280, height: 720 };

const show = process.argv.includes("--show");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const all = readdirSync(pages)
  .filter((name) => name.endsWith(".html"))
  .map((name) => basename(name, ".html"));
const names = all.filter((name) => wanted.length === 0 || wanted.includes(name));

/** The pages unchanged, and with `?eye` with the client of the last build. */
async function serve() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://site");
    try {
      if (pathname.endsWith(".js")) {
        response
          .writeHead(200, { "content-type": "text/javascript" })
          .end(readFileSync(join(dist, basename(pathname))));
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
  return server;
}

async function outlines(site) {
  const browser = await startChromium();
  const looks = new Map();
  for (const name of names) {
    const page = await browser.newPage({ viewport });
    await page.goto(`${site}/${name}?eye`);
    looks.set(name, { view: await page.evaluate("eye.look()"), all: await page.evaluate("eye.look({ all: true })") });
    await page.close();
  }
  await browser.close();
  return looks;
}

function snapshots(site, browser) {
  const worker = new Worker(new URL("snapshots.mjs", import.meta.url), {
    workerData: { names, site, browser, flags, viewport },
  });
  return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
}

const tokens = (text) => encode(text).length;
const row = (name, { peer, all, view }) =>
  console.log(
    `${name.padEnd(12)}${String(peer || "-").padStart(11)}${String(all).padStart(13)}${String(view).padStart(7)}${(peer === 0 ? "" : (all / peer).toFixed(2)).padStart(16)}`,
  );

const server = await serve();
const site = `http://localhost:${server.address().port}`;
const looks = await outlines(site);
const theirs = await snapshots(site, findChromium());
server.close();
server.closeAllConnections();

const sum = { peer: 0, all: 0, view: 0 };
const rows = names.map((name) => {
  const { view, all } = looks.get(name);
  const peer = theirs.get(name) ?? "";
  if (show)
    console.log(`\n=== ${name}\n--- look\n${view}\n--- look --all\n${all}\n--- agent-browser snapshot -i\n${peer}`);
  const counts = { peer: tokens(peer), all: tokens(all), view: tokens(view) };
  for (const key of Object.keys(sum)) sum[key] += counts[key];
  return [name, counts];
});
console.log("page        snapshot -i   look --all   look      --all / -i");
for (const [name, counts] of rows) row(name, counts);
row("sum", sum);
