// Pages over HTTPS, and a hub with a certificate: the client connects by wss if it was loaded over https, and by ws if
// it was loaded from localhost without TLS.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { Site } from "../stage/site.js";
import { Stage } from "../stage/stage.js";

let stage: Stage;
let secure: Site;
let context: BrowserContext;

before(async () => {
  stage = await Stage.open();
  const { home, browser } = stage;
  const { cert, key } = JSON.parse((await home.eye("tls", "--json")).stdout) as {
    readonly cert: string;
    readonly key: string;
  };
  await home.eye("down");
  await home.up("--tls");
  secure = await Site.open(home.url, { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") });
  context = await browser.newContext({ ignoreHTTPSErrors: true });
});

after(async () => {
  await secure.close();
  await stage.close();
});

for (const [hub, socket] of [
  ["https", "wss"],
  ["http", "ws"],
] as const) {
  test(`an https page whose client comes over ${hub} joins over ${socket}`, async () => {
    const from = stage.home.url.replace("http", hub);
    secure.page(`/${hub}`, {
      title: `By ${hub}`,
      tag: false,
      head: `<script src="${from}/eye.js"></script>`,
      body: "<button>Press</button>",
    });
    const page = await context.newPage();
    const opened = page.waitForEvent("websocket");
    await page.goto(secure.url(`/${hub}`));
    assert.ok((await opened).url().startsWith(`${socket}://localhost:`), (await opened).url());
    const session = await stage.joined(page);
    assert.equal((await stage.home.eye("--page", session, "isSecureContext")).stdout, "true\n");
    assert.match((await stage.home.eye("--page", session, "look")).stdout, /\[Press\]/);
    await page.close();
  });
}
