// Every way to join on every kind of page: it works end to end or reports the obstacle, as in the table of
// docs/join.md.

import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Browser as Firefox } from "puppeteer-core";
import { BareChromium } from "../../harness/chromium.js";
import { Dev, projectFile } from "../stage/dev.js";
import { startFirefox } from "../../harness/firefox.js";
import {
  arrived,
  clicked,
  clientModule,
  counterPage,
  documented,
  evaluates,
  exercise,
  toKeep,
  WATCH,
  WAYS,
  type Way,
} from "../stage/join.js";
import { Site } from "../stage/site.js";
import { Stage } from "../stage/stage.js";
import { chromiumTab, firefoxTab, type Tab } from "../stage/tab.js";
import { until } from "../../harness/until.js";

const TYPES = "require-trusted-types-for 'script'; trusted-types 'none'";
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plain: {},
  "strict CSP": { "content-security-policy": "default-src 'self'" },
  "Trusted Types": { "content-security-policy": TYPES },
  COEP: { "cross-origin-embedder-policy": "require-corp", "cross-origin-opener-policy": "same-origin" },
  HTTPS: {},
  framed: {},
};
const SERVED = Object.keys(HEADERS);
const PROJECTS: Readonly<Record<string, string>> = { "Vite + React": "react", "Vite + Vue": "vue" };
const HIDDEN = "hidden";
const NOT_APPLICABLE = "–";

/** A page that frames another one, for a server that only has files. */
const AROUND = `<!doctype html><title>Around</title><body><script>
const frame = document.createElement("iframe");
frame.src = new URLSearchParams(location.search).get("inner");
document.body.append(frame);
</script></body>`;

const table = documented();
let stage: Stage;
let secure: Site;
let plain: Dev;
let plainSecure: Dev;
let bookmarklet: string;
let userscript: string;
let openTab: () => Promise<Tab>;

before(async () => {
  stage = await Stage.open();
  const { home, site } = stage;
  bookmarklet = await toKeep(home, "bookmarklet");
  userscript = await toKeep(home, "userscript");
  const certificate = JSON.parse((await home.eye("tls", "--json")).stdout) as {
    readonly cert: string;
    readonly key: string;
  };
  secure = await Site.open(home.url, {
    cert: await readFile(certificate.cert, "utf8"),
    key: await readFile(certificate.key, "utf8"),
  });
  for (const one of [site, secure]) serve(one);
  const config = (https: string): string => `import eye from "eye-client/vite";
const headers = ${JSON.stringify(HEADERS)};
const kinds = { name: "kinds", configureServer: ({ middlewares }) => void middlewares.use((request, response, next) => {
  const kind = new URL(request.url, "http://site").searchParams.get("kind");
  for (const [name, value] of Object.entries(headers[kind] ?? {})) response.setHeader(name, value);
  next();
}) };
export default { plugins: [kinds, eye()], server: { ${https} } };`;
  const start = (https: string): Promise<Dev> => {
    const index = projectFile("plain", "index.html").replace("<title>", '<script src="/watch.js"></script><title>');
    return Dev.start("plain", home, {
      files: { "vite.config.js": config(https), "index.html": index, "watch.js": WATCH, "around.html": AROUND },
    });
  };
  plain = await start("");
  plainSecure = await start(
    `https: { cert: ${JSON.stringify(certificate.cert)}, key: ${JSON.stringify(certificate.key)} }`,
  );
  const context = await stage.browser.newContext({ ignoreHTTPSErrors: true });
  openTab = () => chromiumTab(context);
});

after(async () => {
  await Promise.all([plain.close(), plainSecure.close()]);
  await secure.close();
  await stage.close();
});

/** The tags in a page's head for this way to join. */
function head(way: Way, hub: string): string {
  switch (way) {
    case "script tag":
      return `<script src="${hub}/eye.js"></script>`;
    case "proxy path":
      return '<script src="/__eye/eye.js"></script>';
    case "import":
      return '<script type="module" src="/import.js"></script>';
    case "Vite plugin":
    case "bookmarklet":
    case "userscript":
    case "eye open":
      return "";
  }
}

/** If no driver controls the browser, the page clicks its own bookmark and contains the userscript at its end. */
function byItself(way: Way): string {
  if (way === "userscript") return `<script>${userscript}</script>`;
  if (way !== "bookmarklet") return "";
  const url = bookmarklet.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<a id="bookmark" href="${url}"></a><script>document.querySelector("#bookmark").click()</script>`;
}

function serve(site: Site): void {
  const script = (path: string, text: string): void =>
    site.serve(path, (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(text));
  script("/page.js", projectFile("plain", "page.js"));
  script("/watch.js", WATCH);
  script("/eye-client.js", clientModule());
  script("/import.js", `import { connect } from "/eye-client.js"; connect({ hub: ${JSON.stringify(site.hub)} });`);
  site.serve("/page", (request, response) => {
    const query = new URL(request.url ?? "", "http://site").searchParams;
    const way = WAYS.find((one) => one === query.get("way")) ?? "script tag";
    const foot = query.get("kind") === HIDDEN ? byItself(way) : "";
    response
      .writeHead(200, { "content-type": "text/html", ...HEADERS[query.get("kind") ?? ""] })
      .end(counterPage({ head: head(way, site.hub), foot }));
  });
  site.serve("/around", (request, response) => {
    const inner = new URL(request.url ?? "", "http://site").searchParams.get("inner") ?? "";
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<!doctype html><title>Around</title><iframe src="${inner.replaceAll("&", "&amp;")}"></iframe>`);
  });
}

/** The URL of a page of this kind that joins in this way. */
async function address(way: Way, kind: string, cell: string): Promise<string> {
  const query = new URLSearchParams({ way, kind, cell });
  if (way === "eye open") return openedFolder(kind, query);
  if (way === "Vite plugin") return `${(kind === "HTTPS" ? plainSecure : plain).url}index.html?${String(query)}`;
  return (kind === "HTTPS" ? secure : stage.site).url(`/page?${String(query)}`);
}

function around(way: Way, url: string): string {
  if (way === "eye open") return new URL("around.html", url).href;
  const site = way === "Vite plugin" ? new URL("/around.html", url) : new URL("/around", url);
  site.searchParams.set("inner", url);
  return site.href;
}

/**
 * `eye open ./folder`, up to the URL that the person's browser gets. The hub sets the headers, so a policy is in the
 * page.
 */
async function openedFolder(kind: string, query: URLSearchParams): Promise<string> {
  const { home } = stage;
  const folder = join(home.folder, "work", String(query.get("cell")));
  await mkdir(folder, { recursive: true });
  const policy = HEADERS[kind]?.["content-security-policy"];
  const meta = policy === undefined ? "" : `<meta http-equiv="content-security-policy" content="${policy}">`;
  await writeFile(join(folder, "index.html"), counterPage({ head: meta, base: "./" }));
  await writeFile(
    join(folder, "around.html"),
    `<!doctype html><title>Around</title><iframe src="./index.html?${String(query)}"></iframe>`,
  );
  await writeFile(join(folder, "page.js"), projectFile("plain", "page.js"));
  await writeFile(join(folder, "watch.js"), WATCH);
  const file = join(folder, "told");
  const browser = join(folder, "browser");
  await writeFile(browser, `#!/bin/sh\necho "$1" > '${file}'\n`);
  await chmod(browser, 0o755);
  const opening = await home.start(["open", `./${String(query.get("cell"))}`, "--timeout", "1"], {
    env: { BROWSER: browser },
  });
  const url = await until(
    "the browser is told a URL",
    async () => (await readFile(file, "utf8").catch(() => "")).trim() || undefined,
  );
  await opening.ended;
  return `${url}${url.endsWith("/") ? "index.html" : ""}?${String(query)}`;
}

/** Opens the page and joins; returns the result in the words of the table. */
async function outcome(tab: Tab, way: Way, kind: string, cell: string): Promise<string> {
  const { home } = stage;
  const url = await address(way, kind, cell);
  if (way === "userscript") await tab.atDocumentEnd(userscript);
  await tab.goto(kind === "framed" ? around(way, url) : url);
  if (way === "bookmarklet") await tab.run(clicked(bookmarklet));
  const seen = await until(`${way} on ${kind} comes in or says why not`, async () => {
    const pages = (await home.pages()).filter(({ state }) => state === "connected");
    const inside = pages.find((row) => new URL(row.url).searchParams.get("cell") === cell);
    if (inside !== undefined) return inside;
    if (way === "bookmarklet" && pages.some((row) => row.url.includes("/around"))) return "top only";
    return obstacle(tab.messages);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it said: ${tab.messages.join(" | ")}`);
  });
  return typeof seen === "string" ? seen : exercise(home, seen);
}

/**
 * The directive that blocks joining: if our code runs, it names what to add; if it cannot run, the browser reports it.
 */
function obstacle(messages: readonly string[]): string | undefined {
  const hub = stage.home.url;
  const ours = messages.find((text) => text.startsWith("eye: this page's Content-Security-Policy blocks"));
  if (ours !== undefined) return /; add http:\/\/localhost:\d+(?: ws:\/\/localhost:\d+)? to ([\w-]+)$/.exec(ours)?.[1];
  return messages.includes(`policy: script-src-elem ${hub}/eye.js`) && !messages.some((text) => text.startsWith("eye:"))
    ? "script-src"
    : undefined;
}

let cells = 0;

function cell(browser: string, way: Way, kind: string, run: (tab: Tab, cell: string) => Promise<string>): void {
  const wanted = table.get(way)?.get(kind);
  if (wanted === NOT_APPLICABLE) return;
  test(`${browser}: ${way}, ${kind}: ${String(wanted)}`, async () => {
    const tab = await openTab();
    try {
      assert.equal(await run(tab, `c${String(++cells)}`), wanted, tab.messages.join(" | "));
    } finally {
      await tab.close();
    }
  });
}

test("the table has every way in and every kind of page", () => {
  assert.deepEqual([...table.keys()], [...WAYS]);
  for (const row of table.values())
    assert.deepEqual([...row.keys()], [...SERVED.slice(0, -1), ...Object.keys(PROJECTS), "framed", HIDDEN]);
});

suite("pages that are served", () => {
  for (const way of WAYS)
    for (const kind of SERVED) cell("Chromium", way, kind, (tab, name) => outcome(tab, way, kind, name));
});

/** The start page of a project with this way to join. */
function entry(folder: string, way: Way): [string, string] {
  const { url } = stage.home;
  const inline = `<script type="module">import { connect } from "eye-client"; connect({ hub: ${JSON.stringify(url)} });</script>`;
  return [
    entryName(way),
    projectFile(folder, "index.html").replace("<title>", `${way === "import" ? inline : head(way, url)}<title>`),
  ];
}

function entryName(way: Way): string {
  return `${way.replace(" ", "-")}.html`;
}

/** A project under Vite joins; the hot update that follows must keep its page and its session. */
async function inProject(tab: Tab, dev: Dev, way: Way, kind: string, name: string): Promise<string> {
  const { home } = stage;
  const source = PROJECTS[kind] === "react" ? "src/App.tsx" : "src/App.vue";
  if (way === "userscript") await tab.atDocumentEnd(userscript);
  await tab.goto(`${dev.url}${entryName(way)}?${name}`);
  if (way === "bookmarklet") await tab.run(clicked(bookmarklet));
  const { id } = await arrived(home, `?${name}`);
  const ask = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, code } = await home.eye("--page", id, ...args);
    assert.equal(code, 0, `eye ${args.join(" ")}: ${stderr}`);
    return stdout.trimEnd();
  };
  assert.match(await ask("click", "text=Open"), /A panel/);
  await until("the tools are offered", async () => (await ask("tools")).includes("panel(") || undefined);
  assert.equal(await ask("call", "count", "by=2"), "0");
  await ask("window.kept = true");
  await dev.edit(source, /<h1>.*<\/h1>/, `<h1>Hot ${name}</h1>`);
  await ask("wait", `text=Hot ${name}`);
  assert.equal(await ask("window.kept"), "true", "the update reloaded the page");
  assert.equal(await ask("call", "count"), "2");
  assert.equal((await arrived(home, `?${name}`)).id, id);
  return evaluates(home, id);
}

function inProjects(browser: string, kind: string, folder: string): void {
  suite(`${browser}: ${kind}`, () => {
    const servers: Dev[] = [];
    before(async () => {
      const hub = JSON.stringify(stage.home.url);
      const config = `import framework from "@vitejs/plugin-${folder}";
// Vite would find this one later, and reload the page for it.
export default { plugins: [framework()], optimizeDeps: { include: ["eye-client"] }, server: { proxy: { "/__eye": { target: ${hub}, ws: true, rewrite: (path) => path.replace("/__eye", "") } } } };`;
      const entries = Object.fromEntries(WAYS.map((way) => entry(folder, way)));
      servers.push(
        await Dev.start(folder, stage.home, { files: { ...entries, "vite.config.js": config } }),
        await Dev.start(folder, stage.home, { files: entries }),
      );
    });
    after(() => Promise.all(servers.map((dev) => dev.close())));
    for (const way of WAYS) {
      cell(browser, way, kind, (tab, name) => {
        const dev = servers[way === "Vite plugin" ? 1 : 0];
        if (dev === undefined) throw new Error("started before");
        return inProject(tab, dev, way, kind, name);
      });
    }
  });
}

for (const [kind, folder] of Object.entries(PROJECTS)) inProjects("Chromium", kind, folder);

suite("tabs that are hidden, in a browser that no tool drives", () => {
  let chromium: BareChromium;
  const names = new Map<Way, string>();
  before(async () => {
    const urls: string[] = [];
    for (const way of WAYS) {
      const name = `hidden${String(urls.length)}`;
      names.set(way, name);
      urls.push(await address(way, HIDDEN, name));
    }
    const opens = [...urls, stage.site.url("/front")]
      .map((url) => `open(${JSON.stringify(url)}, "_blank", "noopener");`)
      .join("");
    const page = (title: string, script: string) => (_: unknown, response: { end(text: string): void }) =>
      response.end(`<!doctype html><title>${title}</title><script>${script}</script>`);
    stage.site.serve("/launch", page("Launch", opens));
    stage.site.serve("/front", page("Front", ""));
    chromium = await BareChromium.open(stage.site.url("/launch"));
  });
  after(() => chromium.close());
  for (const way of WAYS) {
    test(`Chromium: ${way}, hidden: ${String(table.get(way)?.get(HIDDEN))}`, async () => {
      const part = `cell=${String(names.get(way))}`;
      await arrived(stage.home, part);
      const row = await until("the tab is hidden", async () =>
        (await stage.home.pages()).find(
          ({ url, visible, state }) => url.includes(part) && !visible && state === "connected",
        ),
      );
      assert.equal(await exercise(stage.home, row), table.get(way)?.get(HIDDEN));
    });
  }
});

suite("Firefox", () => {
  let firefox: Firefox;
  before(async () => {
    firefox = await startFirefox();
    openTab = () => firefoxTab(firefox);
  });
  after(() => firefox.close());
  for (const way of WAYS)
    for (const kind of ["plain", "strict CSP"])
      cell("Firefox", way, kind, (tab, name) => outcome(tab, way, kind, name));
  inProjects("Firefox", "Vite + React", "react");
});
