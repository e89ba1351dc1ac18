// The round trip of the original 3D server, step by step, with a real page, real input and the real CLI; and what its
// cache could not do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KEY_LIGHT_AT, MODEL_AT, SceneTab, WEBGL_FLAGS } from "../stage/scene.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const EXIT_ABSENT = 3;
const QUERIED = /\(queried at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z), source: fresh\)$/;

let stage: Stage;
let tab: SceneTab;

before(async () => {
  stage = await Stage.open(...WEBGL_FLAGS);
  tab = await SceneTab.open(stage, "studio");
  // The model stops as soon as it is released, so that a test knows when the movement is over.
  await tab.page.emulateMedia({ reducedMotion: "reduce" });
});

after(() => stage.close());

/** Runs `during` and returns the messages on the tab's socket in that time. */
async function traffic(during: () => Promise<unknown>): Promise<readonly string[]> {
  const mark = await tab.traffic.mark();
  await during();
  return (await tab.traffic.since(mark)).map(({ from, text }) => `${from}: ${text}`);
}

test("part 1, steps 1 to 12: what color is the model?", async () => {
  // Step 1 and 2: the agent finds a tool for the question.
  const [tool] = JSON.parse((await tab.eye("tools", "get_model_color", "--json")).stdout) as {
    title: string;
    description: string;
    inputSchema: { properties: object };
  }[];
  assert.equal(tool?.title, "Get Model Color");
  assert.equal(tool.description, 'Get the current model color as a hex color code (e.g., "#ff0000")');
  assert.deepEqual(Object.keys(tool.inputSchema.properties), ["forceRefresh"]);
  await tab.call("change_model_color", "color=#ff0000");
  // Steps 3 to 10: the page gets a request with an id, and its answer goes to the requester.
  const sent = await traffic(async () => {
    const state = await tab.stateInfo<string>("model.color", "--fresh");
    assert.deepEqual([state.value, state.source, state.wasCached, state.stale], ["#ff0000", "page", false, false]);
    assert.match(state.time, /^\d{4}-\d\d-\d\dT/);
  });
  assert.equal(sent.filter((text) => text.startsWith("hub:")).length, 1, sent.join("\n"));
  assert.match(sent.find((text) => text.startsWith("hub:")) ?? "", /"method":"state\/get"/);
  // Step 11: its answer is cached.
  assert.equal((await tab.stateInfo("model.color")).source, "cache");
  // Step 12: the answer, as the agent reads it.
  const answer = await tab.call("get_model_color");
  assert.match(answer, /^Model color: #ff0000 /);
  assert.ok(Math.abs(Date.parse(QUERIED.exec(answer)?.[1] ?? "") - Date.now()) < 60_000, answer);
});

test("part 2, steps 13 to 21: darken it a bit", async () => {
  const { revision } = await tab.stateInfo("model.color");
  const before = await tab.seen(MODEL_AT);
  // Steps 13 to 15: the agent chooses a darker shade, and its command goes to the page.
  const mark = await tab.traffic.mark();
  const confirmed = await tab.call("change_model_color", "color=#990000");
  // Step 21: the confirmation. It came from the page, which has executed the command.
  assert.equal(confirmed, "Model color changed to #990000");
  // Steps 16 to 18: the page has carried it out, and a person sees it.
  assert.match(await tab.page.locator("#readings dd").first().innerText(), /#990000/);
  const darker = await until("the picture is darker", async () => {
    const seen = await tab.seen(MODEL_AT);
    return seen.red < before.red * 0.8 ? seen : undefined;
  });
  assert.ok(
    darker.red > 1.5 * darker.green && darker.red > 1.5 * darker.blue,
    `red, but for the shine of the lights: ${JSON.stringify(darker)}`,
  );
  // Steps 19 and 20: the page has reported exactly the change, without a request.
  assert.equal(await tab.cached("model.color", (color) => color === "#990000"), "#990000");
  const patch = JSON.parse((await tab.eye("state", "--since", String(revision))).stdout) as unknown;
  assert.deepEqual(patch, [{ op: "replace", path: "/model/color", value: "#990000" }]);
  const crossed = (await tab.traffic.since(mark)).map(({ text }) => text);
  assert.equal(crossed.filter((text) => text.includes("state/get")).length, 0, crossed.join("\n"));
  assert.equal(crossed.filter((text) => text.includes("state/patch")).length, 1, crossed.join("\n"));
});

test("part 3: what color is it now? comes from the cache, without any traffic to the page", async () => {
  const crossed = await traffic(async () => {
    for (let time = 0; time < 5; time++) assert.equal(await tab.state("model.color"), "#990000");
    assert.equal((await tab.stateInfo("model.color")).wasCached, true);
  });
  assert.deepEqual(crossed, []);
});

test("the person turns the model with the mouse, and the cache is right, which the original's was not", async () => {
  assert.equal(await tab.state("model.rotation"), '{"x":0,"y":0,"z":0}');
  await tab.page.mouse.move(MODEL_AT.x, MODEL_AT.y);
  await tab.page.mouse.down();
  await tab.page.mouse.move(MODEL_AT.x + 60, MODEL_AT.y + 30, { steps: 6 });
  await tab.page.mouse.up();
  const turned = await tab.cachedAsShown();
  const { revision } = await tab.stateInfo("model.rotation");
  const { x, y } = JSON.parse(turned) as { x: number; y: number };
  assert.ok(x > 3 && y > 8, `the front went right and down: ${turned}`);
  const fresh = JSON.parse((await tab.eye("call", "get_model_rotation", "--json")).stdout) as {
    structuredContent: { rotation: unknown };
  };
  assert.deepEqual(fresh.structuredContent.rotation, JSON.parse(turned), "what the page has");
  assert.equal((await tab.stateInfo("model.rotation")).revision, revision, "there was nothing left to tell");
});

test("the wheel moves the camera, and with shift changes its field of view", async () => {
  await tab.page.mouse.move(MODEL_AT.x, MODEL_AT.y);
  await tab.page.mouse.wheel(0, 100);
  assert.equal(await tab.cached("camera.distance", (distance) => distance !== "32"), "34.67");
  assert.equal(await tab.state("camera.fov"), "32");
  await tab.page.keyboard.down("Shift");
  await tab.page.mouse.wheel(0, 100);
  await tab.page.keyboard.up("Shift");
  assert.equal(await tab.cached("camera.fov", (fov) => fov !== "32"), "34");
  assert.equal(await tab.state("camera.distance"), "34.67");
  await tab.call("dolly_camera", "distance=32");
  await tab.call("set_camera_fov", "fov=32");
  await tab.cached("camera", (camera) => camera === '{"distance":32,"fov":32}');
});

test("the wheel over a light moves it nearer or farther, and a drag moves it around the model", async () => {
  await tab.page.mouse.move(KEY_LIGHT_AT.x, KEY_LIGHT_AT.y);
  await tab.page.mouse.wheel(0, 100);
  assert.equal(await tab.cached("keyLight.position.distance", (distance) => distance !== "7.89"), "8.55");
  await tab.page.mouse.down();
  await tab.page.mouse.move(KEY_LIGHT_AT.x + 40, KEY_LIGHT_AT.y - 20, { steps: 4 });
  await tab.page.mouse.up();
  await tab.cached("keyLight.position", (position) => position === '{"azimuth":125,"elevation":31.33,"distance":8.55}');
  assert.equal(await tab.state("camera"), '{"distance":32,"fov":32}');
  assert.equal(await tab.state("fillLight.position.azimuth"), "225");
  assert.match(await tab.page.locator("#label").innerText(), /^Key light · 125° 31° · 8.6$/);
});

test("what was limited is said as the scene has it", async () => {
  assert.equal(
    await tab.call("dolly_camera", "distance=500"),
    "Camera distance set to 64 (limited to 8..64; asked for 500)",
  );
  await tab.cached("camera.distance", (distance) => distance === "64");
  assert.equal(await tab.call("swing_key_light_up"), "Key light swung up");
  await tab.cached("keyLight.position.elevation", (elevation) => elevation === "41.33");
  assert.equal(
    await tab.call("set_key_light_position_spherical", "azimuth=NW", "elevation=30"),
    "Key light positioned at azimuth NW (315°), elevation 30° (distance preserved)",
  );
  assert.equal(
    await tab.call("set_key_light_position_spherical", "azimuth=135", "elevation=26.33"),
    "Key light positioned at azimuth 135°, elevation 26.33° (distance preserved)",
  );
  await tab.cached("keyLight.position.azimuth", (azimuth) => azimuth === "135");
});

test("what does not fit is refused, by the hub or by the page, and changes nothing", async () => {
  const { revision } = await tab.stateInfo("model.color");
  const red = await tab.eye("call", "change_model_color", "color=red");
  assert.match(
    red.stderr,
    /Invalid arguments for tool change_model_color: Must be a hex color code \(e\.g\., "#ff0000"\) or an Apple crayon color name\. Available colors: licorice, lead, /,
  );
  assert.equal(red.code, 1);
  const unknown = await tab.eye("call", "dolly_camera", "distance=9", "speed=2");
  assert.match(unknown.stderr, /speed/);
  assert.equal(unknown.code, 2);
  const low = await tab.eye("call", "dolly_camera", "distance=0");
  assert.equal(low.code, 2, low.stderr);
  const actions = [
    { tool: "change_model_color", arguments: { color: "plum" } },
    { tool: "dolly_camera", arguments: { distance: -1 } },
  ];
  const batch = await tab.eye("call", "apply_scene_batch", JSON.stringify({ actions }));
  assert.match(
    batch.stderr,
    /Action 2 of 2 \(dolly_camera\) failed, and nothing was changed: .*distance must be a number above 0, not -1/,
  );
  assert.equal((await tab.stateInfo("model.color")).revision, revision);
});

test("a batch is one change: all of its actions in one patch", async () => {
  const { revision } = await tab.stateInfo("model.color");
  const actions = [
    { tool: "change_model_color", arguments: { color: "plum" } },
    { name: "change_background_color", arguments: { color: "lead" } },
  ];
  assert.equal(
    await tab.call("apply_scene_batch", JSON.stringify({ actions })),
    "2 actions applied\n1. Model color changed to plum (#891e88)\n2. Background color changed to lead (#1e1e1e)",
  );
  await tab.cached("background", (background) => background === "#1e1e1e");
  assert.equal((await tab.stateInfo("model.color")).revision, revision + 1);
});

test("a hub that is restarted gets the page back by itself, and its state too", async () => {
  const before = await tab.state("model");
  await stage.home.eye("down");
  await stage.home.up();
  assert.equal(await stage.joined(tab.page), tab.session);
  assert.equal(await tab.cached("model", (model) => model !== ""), before);
  assert.match(await tab.call("get_model_color"), /^Model color: #891e88 /);
});

test("the URL it gives opens the same session, and the tab says which it is", async () => {
  const url = `${stage.home.url}/apps/scene/?sessionId=studio`;
  assert.equal((await tab.call("get_browser_connection_url")).split("\n")[2], url);
  await tab.page.waitForFunction(() => document.querySelector("#status")?.textContent === "connected · session studio");
});

test("a tab that was closed: the state is told from the cache with a note, and a command is an error, not a success", async () => {
  await tab.page.close();
  await until("the hub has noticed", async () => ((await tab.stateInfo("model.color")).stale ? true : undefined));
  const { stdout, stderr } = await tab.eye("state", "model.color");
  assert.equal(stdout, "#891e88\n");
  assert.match(stderr, /^note: the page is gone; this is \d+ s old/);
  const fresh = await tab.eye("state", "--fresh", "model.color");
  assert.equal(fresh.stdout, "#891e88\n");
  assert.match(fresh.stderr, /^note: /);
  const command = await tab.eye("call", "change_model_color", "color=#cc0000");
  assert.equal(command.stdout, "");
  assert.match(command.stderr, /^error: /);
  assert.equal(command.code, EXIT_ABSENT);
});
