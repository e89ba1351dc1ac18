// The geometry app's test page, run in Chromium: what a person reads there is what the test suite reads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Stage } from "../stage/stage.js";

interface Row {
  readonly title: string;
  readonly outcome: string;
  readonly reason: string;
}

/** What a check may wait for that this browser, or this hub, has not. */
async function results(stage: Stage): Promise<readonly Row[]> {
  const page = await stage.context.newPage();
  await page.goto(`${stage.home.url}/apps/geometry/test.html`);
  await page.locator('#summary[data-state="done"]').waitFor({ timeout: 120_000 });
  const rows = await page.locator("#groups li").evaluateAll((items) =>
    items.map((item) => ({
      title: `${item.closest("section")?.querySelector("h2")?.textContent ?? ""}: ${item.querySelector("b")?.textContent ?? ""}`,
      outcome: (item as HTMLElement).dataset["outcome"] ?? "",
      reason: item.querySelector("p")?.textContent ?? "",
    })),
  );
  const count = (outcome: string): number => rows.filter((row) => row.outcome === outcome).length;
  assert.equal(await page.locator("#summary").textContent(), `${String(count("passed"))} passed · ${String(count("failed"))} failed · ${String(count("away"))} away`);
  await page.close();
  return rows;
}

test("every check of the test page passes, or says which backend is away", async () => {
  const stage = await Stage.open();
  try {
    const rows = await results(stage);
    assert.deepEqual(rows.filter(({ outcome }) => outcome !== "passed" && outcome !== "away"), []);
    assert.ok(rows.length >= 32, String(rows.length));
    for (const { outcome, reason } of rows) if (outcome === "away") assert.match(reason, /^(backend away: |this browser has no document.modelContext)/);
  } finally {
    await stage.close();
  }
});
