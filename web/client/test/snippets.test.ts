// The table of snippets, each evaluated by the built client in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { startChromium } from "./browsers.js";
import { Hub, testFile, type Connection } from "./hub.js";

interface Snippet {
  readonly code: string;
  readonly answer: string;
}

const snippets = JSON.parse(testFile("snippets.json")) as Snippet[];
const hub = new Hub();
let browser: Browser;
let page: Connection;

before(async () => {
  await hub.start();
  hub.pages.set("/", testFile("snippets.html").replace("<head>", '<head><script src="/eye.js"></script>'));
  browser = await startChromium();
  await (await browser.newPage()).goto(`${hub.origin}/`);
  page = await hub.joined();
});

after(async () => {
  await browser.close();
  await hub.stop();
});

for (const { code, answer } of snippets) {
  test(`${JSON.stringify(code)} answers ${JSON.stringify(answer)}`, async () => {
    const said = await page.ask(code);
    if (answer.startsWith("!")) assert.ok(said.startsWith(answer), JSON.stringify(said.slice(0, 300)));
    else assert.equal(said.slice(0, 10_000), answer);
  });
}
