// Obstacles between a page and its hub: the page logs, in one line, the one change that helps.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startChromium } from "../../harness/chromium.js";
import { Home } from "../../harness/home.js";
import { clicked, clientModule, toKeep } from "../stage/join.js";
import { Site } from "../stage/site.js";
import { until } from "../../harness/until.js";

let home: Home;
/** A site on the internet, as far as the browser knows. */
let far: Site;
let near: Site;
let browser: Browser;
let origin: string;

before(async () => {
  home = await Home.open();
  await home.up();
  const { cert, key } = JSON.parse((await home.eye("tls", "--json", "--name", "shop.test")).stdout) as {
    readonly cert: string;
    readonly key: string;
  };
  far = await Site.open(home.url, { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") });
  near = await Site.open(home.url);
  origin = far.url("", "shop.test");
  const { port } = new URL(origin);
  browser = await startChromium(
    "--host-resolver-rules=MAP *.test 127.0.0.1",
    `--ip-address-space-overrides=127.0.0.1:${port}=public`,
  );
  await home.eye("allow", origin);
  for (const site of [far, near]) {
    site.serve("/eye-client.js", (_, response) =>
      response.writeHead(200, { "content-type": "text/javascript" }).end(clientModule()),
    );
    site.page("/bare", { title: "Bare", tag: false });
    site.page("/import", { title: "Import", tag: false, body: importing(site.hub) });
    site.page("/elsewhere", { title: "Elsewhere", tag: false, body: importing("http://box.test:8765") });
  }
});

after(async () => {
  await browser.close();
  await Promise.all([far.close(), near.close()]);
  await home.close();
});

function importing(hub: string): string {
  return `<script type="module">import { connect } from "/eye-client.js"; connect({ hub: ${JSON.stringify(hub)} })</script>`;
}

interface VisitedPage {
  readonly page: Page;
  /** Messages of eye in the console and in dialogs. */
  readonly messages: readonly string[];
}

async function visit(url: string, context?: BrowserContext): Promise<VisitedPage> {
  const page = await (context ?? (await browser.newContext({ ignoreHTTPSErrors: true }))).newPage();
  const messages: string[] = [];
  const note = (text: string): void => void (text.startsWith("eye: ") && messages.push(text));
  page.on("console", (message) => note(message.text()));
  page.on("dialog", (dialog) => {
    note(dialog.message());
    // The page may be closed before its browser has this answer.
    dialog.dismiss().catch(() => undefined);
  });
  await page.goto(url);
  return { page, messages };
}

function first({ messages }: VisitedPage): Promise<string> {
  return until("eye says something", () => messages[0]);
}

/** Waits until the page has retried, because no message may follow the first one. */
async function assertOnly(visited: VisitedPage, text: string): Promise<void> {
  const { page, messages } = visited;
  const again = page.waitForEvent("websocket");
  assert.equal(await first(visited), text);
  await again;
  assert.equal(messages.length, 1, messages.join(" | "));
  await page.context().close();
}

test("Local Network Access: a page of the internet is told to be allowed, and joins once it is", async () => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const visited = await visit(far.url("/import", "shop.test"), context);
  assert.equal(await first(visited), 'eye: allow this site "local network access" in its site settings');
  await context.grantPermissions(["local-network-access"], { origin });
  const { id } = await until("the page has joined", async () =>
    (await home.pages()).find((row) => row.title === "Import" && row.state === "connected"),
  );
  assert.equal((await home.eye("--page", id, "isSecureContext")).stdout, "true\n");
  assert.deepEqual(visited.messages, ['eye: allow this site "local network access" in its site settings']);
  await context.close();
});

test("Local Network Access: a bookmarklet whose script is kept away says what it may be", async () => {
  const visited = await visit(far.url("/bare", "shop.test"));
  await visited.page.evaluate(clicked(await toKeep(home, "bookmarklet")));
  assert.equal(
    await first(visited),
    `eye: nothing came from ${home.url}/eye.js; start a hub with \`eye up\`, or allow this site local network access`,
  );
  await visited.page.context().close();
});

test("an https page and a hub elsewhere without a certificate: the page names the command", async () => {
  const visited = await visit(far.url("/elsewhere", "shop.test"));
  assert.equal(
    await first(visited),
    "eye: an https page cannot reach http://box.test:8765; `eye tls` makes a certificate",
  );
  await visited.page.context().close();
});

test("a policy that keeps the socket away names connect-src", async () => {
  near.page("/policy", { title: "Policy", headers: { "content-security-policy": "connect-src 'self'" } });
  const ws = home.url.replace("http", "ws");
  const visited = await visit(near.url("/policy"));
  assert.equal(
    await first(visited),
    `eye: this page's Content-Security-Policy blocks the hub; add ${home.url} ${ws} to connect-src`,
  );
  await visited.page.context().close();
});

test("a policy that keeps the client's parts away names script-src", async () => {
  near.page("/parts", {
    title: "Parts",
    headers: { "content-security-policy": `script-src ${home.url}/eye.js 'unsafe-inline'` },
    body: "<script>void eye.look().catch(() => undefined)</script>",
  });
  const visited = await visit(near.url("/parts"));
  assert.match(
    await first(visited),
    /^eye: this page's Content-Security-Policy blocks the hub; add http:\/\/localhost:\d+ ws:\/\/localhost:\d+ to script-src$/,
  );
  await visited.page.context().close();
});

test("a policy that only reports is no obstacle", async () => {
  near.page("/reports", { title: "Reports", headers: { "content-security-policy-report-only": "connect-src 'none'" } });
  const visited = await visit(near.url("/reports"));
  await until("the page has joined", async () =>
    (await home.pages()).find((row) => row.title === "Reports" && row.state === "connected"),
  );
  assert.deepEqual(visited.messages, []);
  await visited.page.context().close();
});

test("an origin that may not join is told the command that allows it, and only that", async () => {
  near.page("/foreign", { title: "Foreign" });
  const url = near.url("/foreign", "other.test");
  const { origin } = new URL(url);
  await assertOnly(
    await visit(url),
    `eye: pages of ${origin} may not join this hub; allow it with \`eye allow ${origin}\``,
  );
});

test("no hub behind a proxy's path: the address that did not answer is named whole", async () => {
  const lonely = await Site.open("http://127.0.0.1:9");
  lonely.serve("/eye-client.js", (_, response) =>
    response.writeHead(200, { "content-type": "text/javascript" }).end(clientModule()),
  );
  lonely.page("/", { title: "Lonely", tag: false, body: importing("/__eye") });
  await assertOnly(
    await visit(lonely.url("/")),
    `eye: no hub answers at ${lonely.url("/__eye")}; start one with \`eye up\``,
  );
  await lonely.close();
});
