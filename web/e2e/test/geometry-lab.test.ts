// A person's actions in the geometry app: evolving a shader, and asking the language model.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { GeometryTab } from "../stage/geometry.js";
import { Stage } from "../stage/stage.js";

let stage: Stage;
let tab: GeometryTab;

before(async () => {
  stage = await Stage.open();
  tab = await GeometryTab.open(stage, "geometry");
  await tab.page.getByRole("button", { name: "Lab" }).click();
});

after(() => stage.close());

async function picture(name: string): Promise<void> {
  const folder = process.env.EYE_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await tab.page.screenshot({ path: `${folder}/${name}.png` });
}

test("a person lets a shader evolve, and the best is on the map", async () => {
  await tab.page.getByLabel("Generations").fill("2");
  await tab.page.getByRole("button", { name: "Evolve" }).click();
  const result = tab.page.getByLabel("What evolution came to");
  await result.getByText("The best is on the map.").waitFor({ timeout: 60_000 });
  const { stdout } = await stage.home.eye("--page", tab.session, "state", "cartridges", "--json", "--fresh");
  assert.equal((JSON.parse(stdout) as { value: unknown[] }).value.length, 1);
  await picture("lab-evolved");
});

test("what a person typed wrong is said below the form", async () => {
  await tab.page.getByLabel("Shader to begin with, in WGSL").fill("fn nonsense(");
  await tab.page.getByRole("button", { name: "Evolve" }).click();
  const result = tab.page.getByLabel("What evolution came to");
  await result.filter({ hasNotText: "Working…" }).filter({ hasNotText: "on the map" }).waitFor({ timeout: 60_000 });
  assert.ok((await result.textContent()) !== "");
});

test("a person asks the language model and reads its answer, or why there is none", async () => {
  await tab.page.getByLabel("Question to the language model").fill("What is a Hilbert curve?");
  await tab.page.getByRole("button", { name: "Ask" }).click();
  const answer = tab.page.getByLabel("Answer of the language model");
  await answer.filter({ hasText: /\S/u }).filter({ hasNotText: "Working…" }).waitFor({ timeout: 60_000 });
  await picture("lab-asked");
});
