// Scenes that an agent saves and restores, and changes that are made only if no other came in between.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MODEL_AT, SceneTab, WEBGL_FLAGS } from "../stage/scene.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

let stage: Stage;
let tab: SceneTab;

before(async () => {
  stage = await Stage.open(...WEBGL_FLAGS);
  tab = await SceneTab.open(stage, "studio");
  await tab.page.emulateMedia({ reducedMotion: "reduce" });
});

after(() => stage.close());

test("a scene is kept and given back, also over a reload", async () => {
  await tab.call("change_model_color", "color=#ff0000");
  assert.match((await tab.eye("save", "red")).stdout, /^red revision \d+ \d+ bytes /u);
  await tab.call("change_model_color", "color=#0000ff");
  assert.equal((await tab.eye("restore", "red")).stdout.trim(), "restored");
  assert.equal((await tab.stateInfo("model.color", "--fresh")).value, "#ff0000");
  await tab.page.reload();
  // On a busy machine, a reloading page may not have published its state when the wait for it ends.
  await until("a reloaded scene begins anew", async () =>
    (await tab.eye("state", "model.color", "--fresh")).stdout.trimEnd() === "#ffffff" ? true : undefined,
  );
  assert.equal((await tab.eye("restore", "red")).stdout.trim(), "restored");
  assert.equal((await tab.stateInfo("model.color", "--fresh")).value, "#ff0000");
});

test("a hand on the scene in between is a conflict that names both revisions", async () => {
  const { revision } = await tab.stateInfo("model", "--fresh");
  await tab.page.mouse.move(MODEL_AT.x, MODEL_AT.y);
  await tab.page.mouse.down();
  await tab.page.mouse.move(MODEL_AT.x + 120, MODEL_AT.y, { steps: 4 });
  await tab.page.mouse.up();
  const refused = await tab.eye("call", "change_model_color", "color=#00ff00", "--if-revision", String(revision));
  assert.equal(refused.code, 1);
  const [, now] = /the state is at revision (\d+), not \d+; nothing was done/u.exec(refused.stderr) ?? [];
  assert.ok(Number(now) > revision, refused.stderr);
  assert.match(refused.stderr, new RegExp(`not ${String(revision)};`, "u"));
  assert.notEqual((await tab.stateInfo("model.color", "--fresh")).value, "#00ff00");
  const { revision: latest } = await tab.stateInfo("model", "--fresh");
  const done = await tab.eye("call", "change_model_color", "color=#00ff00", "--if-revision", String(latest));
  assert.equal(done.code, 0, done.stderr);
  assert.equal((await tab.stateInfo("model.color", "--fresh")).value, "#00ff00");
});
