// `eye open`: a URL, a file and a folder in the person's browser, and the error if no page joins.

import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

let stage: Stage;
let env: Record<string, string>;
let urlFile: string;

before(async () => {
  stage = await Stage.open();
  // For eye, a person's browser is a program that is given a URL.
  urlFile = join(stage.home.folder, "told");
  const browser = join(stage.home.folder, "browser");
  await writeFile(browser, `#!/bin/sh\necho "$1" >> '${urlFile}'\n`);
  await chmod(browser, 0o755);
  env = { BROWSER: browser };
});

after(() => stage.close());

/** Runs `eye open`, and opens the URL that it passed to the browser in Chromium. */
async function open(what: string): Promise<{ stdout: string; close(): Promise<void> }> {
  await writeFile(urlFile, "");
  const opening = await stage.home.start(["open", what], { env });
  const url = await until(
    "the browser is told a URL",
    async () => (await readFile(urlFile, "utf8")).trim() || undefined,
  );
  const page = await stage.browser.newPage();
  await page.goto(url, { waitUntil: "commit" });
  const { stdout, stderr, code } = await opening.ended;
  assert.equal(code, 0, stderr);
  return { stdout, close: () => page.close() };
}

test("a URL is opened, waited for, and is the page that the next command means", async () => {
  stage.site.page("/opened", { title: "Opened", body: "" });
  const other = await stage.visit("/opened");
  const { stdout, close } = await open(stage.site.url("/opened?mine"));
  assert.equal(stdout, `Opened ${stage.site.url("/opened?mine")}\n`);
  assert.equal((await stage.home.eye("location.search")).stdout, "?mine\n");
  await close();
  await other.page.close();
});

test("a page that is slow to show something is waited for, but not until it has loaded", async () => {
  const held: (() => void)[] = [];
  stage.site.serve("/held", (_, response) => void held.push(() => response.writeHead(204).end()));
  const body = '<img src="/held"><script>setTimeout(() => document.body.append("Here at last"), 900)</script>';
  stage.site.page("/slow", { title: "Slow", body });
  const { stdout, close } = await open(stage.site.url("/slow"));
  assert.equal(stdout, `Slow ${stage.site.url("/slow")}\n`);
  assert.equal((await stage.home.eye("look")).stdout, "Here at last\n… still loading\n");
  held.forEach((go) => go());
  await close();
});

test("a file and its folder are served with the client in every document, and nothing beside them", async () => {
  const site = join(stage.home.folder, "work/site");
  await mkdir(join(site, "sub"), { recursive: true });
  await writeFile(join(site, "hello.html"), "<!doctype html><title>Hello</title><link rel=stylesheet href=a.css><p>hi");
  await writeFile(join(site, "a.css"), "p { color: rgb(1, 2, 3) }");
  await writeFile(join(site, "sub/index.html"), "<title>Sub</title>");
  const file = await open("./site/hello.html");
  assert.match(file.stdout, /^Hello http:\/\/127\.0\.0\.1:\d+\/open\/\w+\/hello\.html\n$/);
  assert.equal((await stage.home.eye("getComputedStyle(document.querySelector('p')).color")).stdout, "rgb(1, 2, 3)\n");
  const root = new URL(".", file.stdout.trim().split(" ")[1]).href;
  assert.equal((await fetch(`${root}..%2f..%2fconfig/eye/token`)).status, 404);
  await file.close();
  const folder = await open("site/sub");
  assert.match(folder.stdout, /^Sub /);
  await folder.close();
});

test("a page that does not join is said to be missing its client", async () => {
  const { code, stderr } = await stage.home.eyeWith({ env }, "open", "http://localhost:9/", "--timeout", "0.3");
  assert.equal(code, 124);
  assert.match(stderr, /no page joined within 0 s\nhint: it must load eye\.js/);
});

test("without a browser the URL is named", async () => {
  const { code, stderr } = await stage.home.eyeWith(
    { env: { BROWSER: "", PATH: "/nowhere" } },
    "open",
    "http://localhost:9/",
  );
  assert.equal(code, 3);
  assert.match(stderr, /no browser was found to open http:\/\/localhost:9\//);
});
