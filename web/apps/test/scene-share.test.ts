// Two tabs of one session, and what they tell each other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { INITIAL, isScene, withModel } from "../scene/src/model.js";
import { Sharing } from "../scene/src/share.js";
import { Studio } from "../scene/src/studio.js";

/** Tabs that hear each other at once, and count what is said. */
function tabs(): { open(studio: Studio): Sharing; said(): number } {
  const all: Sharing[] = [];
  let said = 0;
  const open = (studio: Studio): Sharing => {
    const tab: Sharing = new Sharing(studio, (message) => {
      said++;
      for (const other of all) if (other !== tab) other.heard(structuredClone(message));
    });
    all.push(tab);
    tab.ask();
    return tab;
  };
  return { open, said: () => said };
}

test("a tab that comes later shows the scene of the one before, and both follow each other", () => {
  const { open, said } = tabs();
  const [first, second] = [new Studio(INITIAL), new Studio(INITIAL)];
  open(first);
  first.scene = withModel(first.scene, { color: "#008688" });
  open(second);
  assert.equal(second.scene.model.color, "#008688", "the later tab asked");
  const before = said();
  second.scene = withModel(second.scene, { color: "#ff2101" });
  assert.deepEqual([first.scene.model.color, said() - before], ["#ff2101", 1], "told once, and not back");
  first.scene = { ...first.scene, background: "#ffffff" };
  assert.equal(second.scene.background, "#ffffff");
});

test("what is no scene is not shown", () => {
  const studio = new Studio(INITIAL);
  const tab = tabs().open(studio);
  for (const message of [null, 7, {}, { scene: {} }, { scene: { ...INITIAL, background: 7 } }, { scene: withNaN() }])
    tab.heard(message);
  assert.equal(studio.scene, INITIAL);
  assert.equal(isScene(INITIAL), true);
});

function withNaN(): unknown {
  return { ...INITIAL, camera: { distance: Number.NaN, fov: 32 } };
}
