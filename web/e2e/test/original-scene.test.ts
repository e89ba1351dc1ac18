// The original 3D page, unchanged, in a real browser: the messages of its documentation, and its server's tools through
// the CLI.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

/**
 * As the original page does: registers, executes commands and pushes its state, answers `requestState`, and pushes
 * nothing after a drag.
 */
const ORIGINAL_PAGE = (url: string): string => `<main style="width:200px;height:200px"></main><script>
  const model = { color: 0xffffff, scale: { x: 1, y: 1, z: 1 }, rotation: { x: 0, y: 0, z: 0 } };
  const camera = { distance: 32, fov: 1 };
  const light = (azimuth) => ({ intensity: 1, color: "#ffffff", position: { azimuth, elevation: 26.33, distance: 7.89 }, size: { width: 6, height: 6 } });
  const lights = { keyLight: light(135), fillLight: light(225) };
  const hex = (number) => "#" + number.toString(16).padStart(6, "0");
  const state = () => ({ model: { ...model, color: hex(model.color) }, background: "#000000", ...lights, camera });
  const paint = () => { document.querySelector("main").style.background = hex(model.color); };
  const clamp = (value, min, max) => Math.min(max, Math.max(min, value));
  var received = [];
  const handlers = new Map([
    ["changeColor", ({ color }) => { model.color = parseInt(color.replace("#", ""), 16); paint(); }],
    ["rotateModelClockwise", ({ degrees = 10 }) => { model.rotation.y -= degrees; }],
    ["nudgeModelPitchUp", ({ degrees = 5 }) => { model.rotation.x += degrees; }],
    ["dollyCamera", ({ distance }) => { camera.distance = clamp(distance, 8, 64); }],
    ["setKeyLightPositionSpherical", ({ azimuth, elevation }) => { Object.assign(lights.keyLight.position, { azimuth, elevation }); }],
    ["toolCall", ({ toolName }) => { document.title = toolName; }],
  ]);
  document.querySelector("main").onpointermove = ({ buttons, movementX }) => { if (buttons) model.rotation.y += movementX; };
  const session = new URLSearchParams(location.search).get("sessionId");
  var socket = new WebSocket(${JSON.stringify(url)});
  const send = (message) => socket.send(JSON.stringify(message));
  socket.onopen = () => send({ type: "registerSession", sessionId: session });
  socket.onclose = () => { received.push({ type: "closed" }); };
  socket.onmessage = async ({ data }) => {
    const command = JSON.parse(data);
    received.push(command);
    if (command.type === "sessionRegistered") return;
    if (command.type === "requestState" && command.requestId) {
      const answer = await state();
      send({ type: "stateResponse", requestId: command.requestId, state: answer });
      return;
    }
    const handler = handlers.get(command.type);
    if (!handler) return console.warn("Unknown command type:", command.type);
    handler(command);
    if (!command.type.startsWith("get") && command.type !== "toolCall") send({ type: "stateUpdate", state: state(), timestamp: Date.now() });
  };
  paint();
</script>`;

interface Original {
  readonly received: readonly { readonly type: string }[];
}

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/3d.html", {
    title: "Hello 3D",
    tag: false,
    body: ORIGINAL_PAGE(stage.home.url.replace("http", "ws")),
  });
});

after(() => stage.close());

async function opened(session: string): Promise<Page> {
  const page = await stage.context.newPage();
  await page.goto(stage.site.url(`/3d.html?sessionId=${session}`));
  await page.waitForFunction(() =>
    (globalThis as unknown as Original).received.some(({ type }) => type === "sessionRegistered"),
  );
  await stage.home.joined(session);
  return page;
}

const colour = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector("main")?.style.background);

async function call(session: string, ...words: string[]): Promise<string> {
  const { stdout, stderr, code } = await stage.home.eye("--page", session, "call", ...words);
  assert.deepEqual([stderr, code], ["", 0], words.join(" "));
  return stdout.trimEnd();
}

test("the original's tools, texts and crayons reach the page", async (t) => {
  const page = await opened("3d-tools");
  t.after(() => page.close());
  assert.equal(await call("3d-tools", "change_model_color", "color=teal"), "Model color changed to teal (#008688)");
  assert.equal(await colour(page), "rgb(0, 134, 136)");
  assert.equal(await page.title(), "change_model_color");
  assert.equal(
    await call("3d-tools", "nudge_model_pitch_up", "degrees=7"),
    "Model pitch increased by 7° (from current pitch: X=0°)",
  );
  assert.equal(
    await call("3d-tools", "set_key_light_position_spherical", "azimuth=NW", "elevation=30"),
    "Key light positioned at azimuth NW (315°), elevation 30° (distance preserved)",
  );
  assert.equal(
    await call("3d-tools", "dolly_camera", "distance=500"),
    "Camera distance set to 500 (the page limits it: 64; asked for 500)",
  );
  const state = await stage.home.eye("--page", "3d-tools", "state", "model.rotation.x");
  assert.equal(state.stdout, "7\n");
  const refused = await stage.home.eye("--page", "3d-tools", "call", "change_model_color", "color=red");
  assert.match(refused.stderr, /Must be a hex color code \(e\.g\., "#ff0000"\) or an Apple crayon color name/);
  assert.equal(refused.code, 1);
  const { stdout } = await stage.home.eye("--page", "3d-tools", "tools", "--json");
  assert.equal((JSON.parse(stdout) as { tools?: unknown[] } & unknown[]).length, 67);
});

test("a person drags, which pushes nothing: `eye state` is right, a getter warns, and a forced one is right", async (t) => {
  const page = await opened("3d-drag");
  t.after(() => page.close());
  await call("3d-drag", "rotate_model_clockwise");
  await page.mouse.move(50, 50);
  await page.mouse.down();
  await page.mouse.move(90, 50);
  await page.mouse.up();
  assert.equal((await stage.home.eye("--page", "3d-drag", "state", "model.rotation.y")).stdout, "30\n");
  assert.match(
    await call("3d-drag", "get_model_rotation"),
    /^Model rotation: X \(pitch\): 0°, Y \(yaw\): -10°, Z \(roll\): 0° \(queried at \S+Z, source: cache \(may be stale if user manually interacted\)\)$/,
  );
  assert.match(
    await call("3d-drag", "get_model_rotation", "forceRefresh=true"),
    /Y \(yaw\): 30°, Z \(roll\): 0° \(queried at \S+Z, source: fresh\)$/,
  );
  assert.equal(
    await call("3d-drag", "rotate_model_clockwise", "degrees=5"),
    "Model rotated 5° clockwise (from current rotation: Y=30°)",
  );
});

test("two tabs with one session id: the newest is asked, none is closed, the older takes over again", async (t) => {
  const older = await opened("3d-shared");
  t.after(() => older.close());
  const newer = await opened("3d-shared");
  await call("3d-shared", "change_model_color", "color=cayenne");
  assert.deepEqual([await colour(newer), await colour(older)], ["rgb(137, 17, 0)", "rgb(255, 255, 255)"]);
  await newer.close();
  await until("the older has the session", async () => {
    const { stdout } = await stage.home.eye("--page", "3d-shared", "state", "model.color");
    return stdout === "#ffffff\n" || undefined;
  });
  await call("3d-shared", "change_model_color", "color=ocean");
  assert.equal(await colour(older), "rgb(0, 74, 136)");
  const types = await older.evaluate(() => (globalThis as unknown as Original).received.map(({ type }) => type));
  assert.equal(types.includes("closed"), false);
});
