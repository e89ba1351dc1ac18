// The life of a page: loaded twice, kept in the back/forward cache, and gone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BareChromium } from "../../harness/chromium.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
});

after(() => stage.close());

test("loading eye.js twice is one client", async () => {
  stage.site.page("/twice.html", {
    title: "Twice",
    body: `<script src="${stage.home.url}/eye.js"></script><script async src="${stage.home.url}/eye.js?again"></script>`,
  });
  const { page, session } = await stage.visit("/twice.html");
  await page.waitForLoadState("load");
  assert.deepEqual(
    (await stage.home.pages()).map(({ id }) => id),
    [session],
  );
  await stage.home.eye("window.count = 0");
  await stage.home.eye("fire", "count++");
  assert.equal((await stage.home.eye("count")).stdout, "1\n");
  await page.close();
});

test("data-session names the session, and data-alias the page", async () => {
  stage.site.page("/named.html", { title: "Named", tag: 'data-session="my.session-1" data-alias="named"' });
  const { page, session } = await stage.visit("/named.html");
  assert.equal(session, "my.session-1");
  assert.equal((await stage.home.eye("--page", "named", "eye.session")).stdout, "my.session-1\n");
  await page.close();
});

test("a changed title is known to the hub", async () => {
  stage.site.page("/changes.html", { title: "Before" });
  const { page, session } = await stage.visit("/changes.html");
  await stage.home.eye("--page", session, 'document.title = "After"; history.pushState(null, "", "/elsewhere")');
  await until("the new title", async () =>
    (await stage.home.pages()).find((row) => row.title === "After" && row.url.endsWith("/elsewhere")),
  );
  assert.equal((await stage.home.eye("--page", "After", "1+1")).stdout, "2\n");
  await page.close();
});

test("a page that the browser kept for the way back is the same page again, and answers", async () => {
  const watch =
    "<script>var born = Math.random(); var kept = 0; addEventListener('pageshow', (event) => { if (event.persisted) kept++ })</script>";
  stage.site.page("/here.html", { title: "Here", tag: 'data-alias="here"', head: watch });
  stage.site.page("/there.html", { title: "There", tag: 'data-alias="there"', head: watch });
  const chromium = await BareChromium.open(stage.site.url("/here.html"));
  try {
    const { id } = await until("the page has joined", async () =>
      (await stage.home.pages()).find((row) => row.alias === "here" && row.state === "connected"),
    );
    const born = (await stage.home.eye("--page", id, "born")).stdout;
    assert.equal(
      (await stage.home.eye("--page", id, 'location.href = "/there.html"')).stdout,
      `There ${stage.site.url("/there.html")}\n`,
    );
    assert.equal(
      (await stage.home.eye("--page", id, "history.back()")).stdout,
      `Here ${stage.site.url("/here.html")}\n`,
    );
    assert.equal((await stage.home.eye("--page", id, "kept")).stdout, "1\n", "the browser kept the page");
    assert.equal((await stage.home.eye("--page", id, "born")).stdout, born);
    assert.equal(
      (await stage.home.eye("--page", id, "history.forward()")).stdout,
      `There ${stage.site.url("/there.html")}\n`,
    );
    assert.equal((await stage.home.eye("--page", id, "document.title")).stdout, "There\n");
  } finally {
    await chromium.close();
  }
});

test("eye.close leaves the hub, and connecting again joins", async () => {
  stage.site.page("/closes.html", { title: "Closes" });
  const { page, session } = await stage.visit("/closes.html");
  await page.evaluate(() => (globalThis as unknown as { eye: { close(): void } }).eye.close());
  await until(
    "the page has left",
    async () => (await stage.home.pages()).every((row) => row.id !== session || row.state !== "connected") || undefined,
  );
  await page.addScriptTag({ url: `${stage.home.url}/eye.js` });
  assert.equal(await stage.joined(page), session);
  await page.close();
});
