// The geometry app's test page, run in Chromium: the test suite reads the same results as a person.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Stage } from "../stage/stage.js";

interface Row {
  readonly title: string;
  readonly outcome: string;
  readonly reason: string;
}

/** Runs the page with a hub whose language model is unreachable. */
async function results(stage: Stage): Promise<readonly Row[]> {
  await stage.home.eye("down");
  await stage.home.up("--llm", "http://127.0.0.1:9");
  const page = await stage.context.newPage();
  await page.goto(`${stage.home.url}/apps/geometry/test.html`);
  await page.locator('#summary[data-state="done"]').waitFor({ timeout: 120_000 });
  const rows = await page.locator("#groups li").evaluateAll((items) =>
    items.map((item) => ({
      title: `${item.closest("section")?.querySelector("h2")?.textContent ?? ""}: ${item.querySelector("b")?.textContent ?? ""}`,
      outcome: (item as HTMLElement).dataset.outcome ?? "",
      reason: item.querySelector("p")?.textContent ?? "",
    })),
  );
  const count = (outcome: string): number => rows.filter((row) => row.outcome === outcome).length;
  assert.equal(
    await page.locator("#summary").textContent(),
    `${String(count("passed"))} passed · ${String(count("failed"))} failed · ${String(count("away"))} away`,
  );
  await page.close();
  return rows;
}

for (const [kind, flags] of [
  ["the client's WebMCP", []],
  ["the browser's own", ["--enable-features=WebMCP"]],
] as const) {
  test(`every check of the test page passes with ${kind}, or says which backend is away`, async () => {
    const stage = await Stage.open(...flags);
    try {
      const rows = await results(stage);
      assert.ok(rows.length >= 32, String(rows.length));
      assert.deepEqual(
        rows.filter(({ outcome }) => outcome !== "passed" && outcome !== "away"),
        [],
      );
      // No language model answers here.
      const away = rows.filter(({ outcome }) => outcome === "away");
      assert.deepEqual(
        away.map(({ title }) => title),
        [
          "send_llm_prompt: HTTP endpoint",
          "The whole workflow: evolve, load, go there, read, analyse, describe, with the real backends",
        ],
      );
      for (const { reason } of away)
        assert.match(reason, /^backend away: the LLM server at http:\/\/127.0.0.1:9 cannot be reached/);
    } finally {
      await stage.close();
    }
  });
}
