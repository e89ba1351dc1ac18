// The scene on a phone and on a desktop: no text overlaps another element or lies outside the window.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SceneTab, WEBGL_FLAGS } from "../stage/scene.js";
import { Stage } from "../stage/stage.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open(...WEBGL_FLAGS);
});

after(() => stage.close());

for (const [width, session] of [
  [390, "phone"],
  [390, `phone-${"x".repeat(40)}`],
  [1280, `desk-${"x".repeat(40)}`],
] as const) {
  test(`at ${width} px nothing overlaps, with a session id of ${session.length} characters`, async () => {
    const tab = await SceneTab.open(stage, session);
    await tab.page.setViewportSize({ width, height: 844 });
    // The app checks its connection once a second.
    await tab.page.locator("#status[data-connected=true]").waitFor();
    const boxes = await tab.page.evaluate(() =>
      ["header", "#controls > summary", "#readings", "#grips", "#legend"].map((name) => {
        const element = document.querySelector(name);
        if (element === null) throw new Error(`no ${name}`);
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return { name, left, right, top, bottom };
      }),
    );
    for (const [at, a] of boxes.entries()) {
      assert.ok(a.left >= 0 && a.right <= width && a.top >= 0 && a.bottom <= 844, JSON.stringify(a));
      for (const b of boxes.slice(at + 1)) {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        assert.ok(apart, `${JSON.stringify(a)} lies over ${JSON.stringify(b)}`);
      }
    }
    const status = await tab.page.locator("#status").evaluate((line) => ({
      text: line.textContent,
      cut: line.scrollWidth > line.clientWidth,
    }));
    assert.equal(status.text, `connected · session ${session}`);
    assert.equal(status.cut, false);
    await tab.page.close();
  });
}
