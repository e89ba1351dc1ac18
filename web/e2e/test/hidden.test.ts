// Hidden tabs, in a browser without a debugger: with a debugger attached, tabs are never hidden.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BareChromium } from "../../harness/chromium.js";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";
import { until } from "../../harness/until.js";

let home: Home;
let site: Site;
let chromium: BareChromium;

before(async () => {
  home = await Home.open();
  await home.up();
  site = await Site.open(home.url);
  site.page("/back.html", { title: "Back", tag: 'data-alias="back"' });
  site.page("/front.html", { title: "Front", tag: 'data-alias="front"' });
  site.page("/next.html", { title: "Next", tag: 'data-alias="back"' });
  chromium = await BareChromium.open(site.url("/back.html"));
  await joined("back");
  await home.eye("--page", "back", 'void window.open("/front.html", "_blank", "noopener")');
  await joined("front");
  await until("the first tab is hidden", async () => (await row("back"))?.visible === false || undefined);
});

after(async () => {
  await chromium.close();
  await site.close();
  await home.close();
});

async function row(alias: string) {
  return (await home.pages()).find((page) => page.alias === alias && page.state === "connected");
}

async function joined(alias: string): Promise<void> {
  await until(`${alias} has joined`, () => row(alias));
}

test("a hidden tab answers, and so does the visible one", async () => {
  assert.equal((await home.eye("--page", "back", "document.visibilityState")).stdout, "hidden\n");
  assert.equal((await home.eye("--page", "front", "document.visibilityState")).stdout, "visible\n");
});

test("a hidden tab answers many pipelined calls, awaited ones too", async () => {
  const calls = Array.from({ length: 1000 }, (_, index) => index);
  const stdin = calls.map((call) => (call % 2 === 0 ? `${String(call)} * 2` : `await ${String(call)} * 2`)).join("\n");
  const { stdout } = await home.eyeWith({ stdin }, "--page", "back", "batch", "--ordered");
  assert.equal(stdout, calls.map((call) => `${String(call * 2)}\n`).join(""));
});

test("a hidden tab comes back from a reload and from a navigation", async () => {
  assert.equal((await home.eye("--page", "back", "location.reload()")).stdout, `Back ${site.url("/back.html")}\n`);
  assert.equal(
    (await home.eye("--page", "back", 'location.href = "/next.html"')).stdout,
    `Next ${site.url("/next.html")}\n`,
  );
  assert.equal((await home.eye("--page", "back", "document.visibilityState")).stdout, "hidden\n");
});

test("a hidden tab is back by itself when the hub was restarted", async () => {
  await home.eye("down");
  await home.up();
  assert.equal((await home.eye("--page", "back", "document.title")).stdout, "Next\n");
});
