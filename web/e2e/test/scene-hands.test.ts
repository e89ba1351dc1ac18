// Using the scene by hand: momentum, pinch and keyboard, what a person is shown, and that an idle page does nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KEY_LIGHT_AT, MODEL_AT, SceneTab, VIEW, WEBGL_FLAGS } from "../stage/scene.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

interface Drawing {
  /** How many frames the page has requested. */
  drawn: number;
  frame: typeof requestAnimationFrame;
}

let stage: Stage;

before(async () => {
  stage = await Stage.open(...WEBGL_FLAGS);
  await stage.context.addInitScript(() => {
    const frame = requestAnimationFrame.bind(globalThis);
    const drawing: Drawing = { drawn: 0, frame };
    Object.assign(globalThis, { drawing });
    globalThis.requestAnimationFrame = (then) => {
      drawing.drawn++;
      return frame(then);
    };
  });
});

after(() => stage.close());

/** Lets the browser draw `frames` frames, and returns how many the page requested in that time. */
async function drawnWithin(tab: SceneTab, frames: number): Promise<number> {
  return tab.page.evaluate(async (count) => {
    const { drawing } = globalThis as unknown as { drawing: Drawing };
    const before = drawing.drawn;
    for (let at = 0; at < count; at++) await new Promise((resolve) => drawing.frame(resolve));
    return drawing.drawn - before;
  }, frames);
}

/** Waits until the page no longer draws. */
async function rests(tab: SceneTab): Promise<void> {
  await until("the page draws nothing any more", async () => ((await drawnWithin(tab, 10)) === 0 ? true : undefined));
}

test("a model that is let go in motion turns on, its cache follows, and then the page is idle", async () => {
  const tab = await SceneTab.open(stage, "momentum");
  const mouse = await stage.context.newCDPSession(tab.page);
  // The speed of the hand comes from the events' timestamps, not from how busy this machine is.
  const begun = Date.now() / 1000;
  const event = (type: "mousePressed" | "mouseMoved" | "mouseReleased", x: number, ms: number) =>
    mouse.send("Input.dispatchMouseEvent", {
      type,
      x,
      y: MODEL_AT.y,
      button: "left",
      buttons: 1,
      clickCount: 1,
      timestamp: begun + ms / 1000,
    });
  await event("mousePressed", MODEL_AT.x, 0);
  for (let step = 1; step <= 8; step++) await event("mouseMoved", MODEL_AT.x + step * 10, step * 16);
  await event("mouseReleased", MODEL_AT.x + 80, 130);
  const held = await tab.page.evaluate(() => (globalThis as unknown as { drawing: Drawing }).drawing.drawn);
  await rests(tab);
  const drawn = await tab.page.evaluate(() => (globalThis as unknown as { drawing: Drawing }).drawing.drawn);
  assert.ok(drawn - held > 5, `${String(drawn - held)} pictures after the hand let go`);
  // Pending changes arrive by themselves; then the cache equals the page's state, and nothing more is sent.
  await tab.cachedAsShown();
  await until("an idle page draws and sends nothing", async () => {
    const mark = await tab.traffic.mark();
    const drawn = await drawnWithin(tab, 20);
    return drawn === 0 && (await tab.traffic.since(mark)).length === 0 ? true : undefined;
  });
  const cached = await tab.stateInfo("model.rotation");
  const fresh = await tab.stateInfo("model.rotation", "--fresh");
  assert.deepEqual([cached.value, cached.revision], [fresh.value, fresh.revision]);
  await tab.page.close();
});

test("two fingers apart bring the camera nearer", async () => {
  const context = await stage.browser.newContext({ hasTouch: true, viewport: VIEW });
  const tab = await SceneTab.open(stage, "pinch", context);
  const touch = await context.newCDPSession(tab.page);
  const fingers = (spread: number) =>
    [MODEL_AT.x - spread, MODEL_AT.x + spread].map((x, id) => ({ x, y: MODEL_AT.y, id }));
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(40) });
  for (const spread of [50, 60, 70, 80])
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(spread) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await tab.cached("camera.distance", (distance) => Math.abs(Number(distance) - 16) < 0.1);
  assert.equal(await tab.state("model.rotation"), '{"x":0,"y":0,"z":0}');
  await context.close();
});

test("the keyboard turns the model, moves the camera and moves a light", async () => {
  const tab = await SceneTab.open(stage, "keys");
  await tab.page.locator("#view").focus();
  await tab.page.keyboard.press("ArrowRight");
  await tab.page.keyboard.press("ArrowRight");
  await tab.cached("model.rotation", (rotation) => rotation === '{"x":0,"y":10,"z":0}');
  await tab.page.keyboard.press("+");
  await tab.cached("camera.distance", (distance) => distance === "30.4");
  await tab.page.keyboard.press("]");
  await tab.cached("camera.fov", (fov) => fov === "33");
  await tab.page.getByRole("button", { name: "Fill light" }).focus();
  await tab.page.keyboard.press("ArrowUp");
  await tab.page.keyboard.press("ArrowRight");
  await tab.cached("fillLight.position", (position) => position === '{"azimuth":220,"elevation":24.47,"distance":7.5}');
  assert.match(await tab.page.locator("#label").innerText(), /^Fill light/);
  await tab.page.close();
});

test("a light under the hand says what it is, and the canvas what the hand can do", async () => {
  const tab = await SceneTab.open(stage, "hover");
  await tab.page.mouse.move(KEY_LIGHT_AT.x, KEY_LIGHT_AT.y);
  await tab.page.locator("#label:not([hidden])").waitFor();
  assert.equal(await tab.page.locator("#label").innerText(), "Key light · 135° 26° · 7.9");
  assert.equal(await tab.page.locator("#view").getAttribute("data-hand"), "light");
  await tab.page.mouse.move(MODEL_AT.x, MODEL_AT.y);
  await tab.page.locator("#label").waitFor({ state: "hidden" });
  await tab.page.close();
});

test("a toast names each tool that an agent calls, and goes by itself", async () => {
  const tab = await SceneTab.open(stage, "toast");
  // Recorded as they appear, because a busy machine may poll only after they are gone.
  await tab.page.evaluate(() => {
    const toasted: string[] = [];
    Object.assign(globalThis, { toasted });
    new MutationObserver((changes) =>
      toasted.push(...changes.flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.textContent ?? ""))),
    ).observe(document.querySelector("#toasts") ?? document, { childList: true });
  });
  await tab.call("change_model_color", "color=plum");
  await tab.call("get_model_color");
  assert.deepEqual(await tab.page.evaluate(() => (globalThis as unknown as { toasted: string[] }).toasted), [
    "Change Model Color",
    "Get Model Color",
  ]);
  await tab.page.waitForFunction(() => document.querySelector(".toast") === null);
  await tab.page.close();
});

test("without WebGL there is a note instead of a picture, and the scene and its tools work all the same", async () => {
  const context = await stage.browser.newContext();
  await context.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  const tab = await SceneTab.open(stage, "blind", context);
  assert.match(await tab.page.locator("#obstacle").innerText(), /no WebGL/);
  assert.equal(await tab.call("change_model_color", "color=plum"), "Model color changed to plum (#891e88)");
  await tab.cached("model.color", (color) => color === "#891e88");
  await context.close();
});
