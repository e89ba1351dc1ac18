// Documents that exist but are not shown, or are shown but do not run: prerendered for an expected click, and frozen.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "puppeteer-core";
import { BareChromium } from "../../harness/chromium.js";
import { Stage } from "../stage/stage.js";
import { until, within } from "../../harness/until.js";

const EXIT_TIMEOUT = 124;

let stage: Stage;

before(async () => {
  stage = await Stage.open();
});

after(() => stage.close());

test("a prerendered page joins when it is shown, not before, and has the session of the page that it replaces", async () => {
  const { home, site } = stage;
  const rules =
    '<script type="speculationrules">{"prerender":[{"source":"list","urls":["/to.html"],"eagerness":"immediate"}]}</script>';
  site.page("/from.html", { title: "From", body: rules });
  site.page("/to.html", { title: "To", body: '<script>void fetch("/ran?" + document.prerendering)</script>' });
  const ran = new Promise<string>((resolve) =>
    site.serve("/ran", (request, response) => {
      response.end();
      resolve(request.url ?? "");
    }),
  );
  const chromium = await BareChromium.open(site.url("/from.html"));
  try {
    const { id } = await until("the page has joined", async () =>
      (await home.pages()).find(({ title, state }) => title === "From" && state === "connected"),
    );
    assert.equal(await within("the browser prerenders the next page", ran), "/ran?true");
    assert.deepEqual(
      (await home.pages()).filter(({ state }) => state === "connected").map(({ title }) => title),
      ["From"],
    );
    await home.eye("--page", id, "fire", 'location.href = "/to.html"');
    await until("the next page is shown", async () =>
      (await home.pages()).find((row) => row.id === id && row.title === "To" && row.state === "connected"),
    );
    assert.equal(
      (await home.eye("--page", id, "performance.getEntriesByType('navigation')[0].activationStart > 0")).stdout,
      "true\n",
    );
    assert.equal((await home.eye("--page", id, "eye.session")).stdout, `${id}\n`);
  } finally {
    await chromium.close();
  }
});

test("a frozen tab answers nothing until it is resumed, and is then the same page", async () => {
  const { home, site } = stage;
  site.page("/frozen.html", { title: "Frozen", tag: 'data-alias="frozen"' });
  site.page("/front.html", { title: "Front" });
  const chromium = await BareChromium.open(site.url("/frozen.html"), "--remote-debugging-port=0");
  try {
    const ask = (...args: string[]) => home.eye("--page", "frozen", ...args);
    await until("the page has joined", async () =>
      (await home.pages()).find(({ alias, state }) => alias === "frozen" && state === "connected"),
    );
    await ask("window.mark = 'same'; void window.open('/front.html', '_blank', 'noopener')");
    // Browsers freeze only hidden tabs.
    await until("the tab is hidden", async () =>
      (await home.pages()).find(({ alias, visible }) => alias === "frozen" && !visible),
    );
    const devtools = await lifecycle(chromium, site.url("/frozen.html"));
    await devtools.set("frozen");
    const frozen = await ask("mark", "--timeout", "0.5");
    assert.equal(frozen.code, EXIT_TIMEOUT, frozen.stdout + frozen.stderr);
    await devtools.set("active");
    assert.equal((await ask("mark")).stdout, "same\n");
    await devtools.close();
  } finally {
    await chromium.close();
  }
});

/** Freezes and resumes a tab, as the browser does by itself after minutes. */
async function lifecycle(
  chromium: BareChromium,
  url: string,
): Promise<{ set(state: "frozen" | "active"): Promise<void>; close(): Promise<void> }> {
  const [port, path] = await until("the browser listens", async () => {
    const text = await readFile(join(chromium.folder, "DevToolsActivePort"), "utf8").catch(() => "");
    return text.includes("\n") ? text.split("\n") : undefined;
  });
  const browser = await connect({
    browserWSEndpoint: `ws://127.0.0.1:${String(port)}${String(path)}`,
    defaultViewport: null,
  });
  const target = browser.targets().find((one) => one.url() === url);
  if (target === undefined) throw new Error(`no tab shows ${url}`);
  const session = await target.createCDPSession();
  return {
    set: async (state) => void (await session.send("Page.setWebLifecycleState", { state })),
    close: () => browser.disconnect(),
  };
}
