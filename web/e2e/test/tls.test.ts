// The certificate of `eye tls` in a real browser: pages over HTTPS join by wss, and plain ones join the same hub on the
// same port.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { startChromium } from "../../harness/chromium.js";
import { Home } from "../../harness/home.js";

interface Made {
  readonly spki: string;
}

let home: Home;
let browser: Browser;

before(async () => {
  home = await Home.open();
  const { spki } = JSON.parse((await home.eye("tls", "--json")).stdout) as Made;
  const up = await home.eye("up", "--tls");
  assert.match(up.stdout, /^ready https:/);
  // Stands for trusting its authority, which cannot be done in a browser without a person.
  browser = await startChromium(`--ignore-certificate-errors-spki-list=${spki}`);
});

after(async () => {
  await browser.close();
  await home.close();
});

for (const scheme of ["https", "http"]) {
  test(`a page over ${scheme} joins the hub that speaks both`, async () => {
    const page = await browser.newPage();
    const socket = page.waitForEvent("websocket");
    const url = `${scheme}://localhost:${String(home.port)}/`;
    await page.goto(url);
    assert.equal((await socket).url().split(":")[0], scheme === "https" ? "wss" : "ws");
    const session = await page.waitForFunction(() => {
      const { eye } = globalThis as { eye?: { connected: boolean; session: string } };
      return eye?.connected === true ? eye.session : undefined;
    });
    const id = (await session.jsonValue()) ?? "";
    assert.equal((await home.joined(id)).url, url);
    assert.equal((await home.eye("--page", id, "location.protocol")).stdout, `${scheme}:\n`);
    await page.close();
  });
}

test("without that trust a browser shows a warning instead of the page", async () => {
  const stranger = await startChromium();
  const page = await stranger.newPage();
  await assert.rejects(page.goto(`https://localhost:${String(home.port)}/`), /ERR_CERT_AUTHORITY_INVALID/);
  await stranger.close();
});
