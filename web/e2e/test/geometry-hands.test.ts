// Using the geometry app by hand: mouse, wheel, touch and keys, on a screen and on a phone; and in a hidden tab.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BareChromium } from "../../harness/chromium.js";
import { GeometryTab } from "../stage/geometry.js";
import { Home } from "../../harness/home.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

let stage: Stage;
let tab: GeometryTab;

before(async () => {
  stage = await Stage.open();
  tab = await GeometryTab.open(stage, "hands");
});

after(() => stage.close());

function camera(wanted: Camera): Promise<Camera> {
  const near = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;
  return tab.cached<Camera>(
    "camera",
    ({ x, y, zoom }) => near(x, wanted.x) && near(y, wanted.y) && near(zoom, wanted.zoom),
  );
}

test("a drag moves the map with the hand, and agents read it without asking the page", async () => {
  await tab.page.mouse.move(420, 200);
  await tab.page.mouse.down();
  await tab.page.mouse.move(360, 230, { steps: 4 });
  await tab.page.mouse.up();
  await camera({ x: 60, y: -30, zoom: 1 });
});

test("the wheel pans, with Shift sideways, and with Ctrl it zooms where the pointer is", async () => {
  await tab.call("navigate_map", { region: "origin" });
  await tab.page.mouse.move(420, 240);
  await tab.page.mouse.wheel(0, 120);
  await camera({ x: 0, y: 120, zoom: 1 });
  await tab.page.mouse.wheel(50, 0);
  await camera({ x: 50, y: 120, zoom: 1 });
  await tab.page.keyboard.down("Control");
  await tab.page.mouse.wheel(0, -120);
  await tab.page.keyboard.up("Control");
  const { x, y, zoom } = await tab.cached<Camera>("camera", (now) => now.zoom !== 1);
  assert.ok(zoom > 1.2 && zoom < 1.5, String(zoom));
  assert.ok(Math.abs(x + 100 / zoom - 150) < 1e-6 && Math.abs(y - 120) < 1e-6, "what is under the pointer stays");
});

test("the keyboard pans, zooms, goes home and shows the curve", async () => {
  await tab.call("navigate_map", { region: "origin" });
  await tab.page.locator("#map").focus();
  await tab.page.keyboard.press("ArrowRight");
  await camera({ x: 80, y: 0, zoom: 1 });
  await tab.page.keyboard.press("Shift+ArrowUp");
  await camera({ x: 80, y: -400, zoom: 1 });
  await tab.page.keyboard.press("+");
  await camera({ x: 80, y: -400, zoom: 1.25 });
  await tab.page.keyboard.press("Home");
  await camera({ x: 0, y: 0, zoom: 1 });
  await tab.page.keyboard.press("h");
  assert.equal(await tab.page.locator("#curve").getAttribute("aria-pressed"), "true");
  assert.match(
    (await tab.page.locator("#readout").textContent()) ?? "",
    /0, 0 px · grid 0.00, 0.00.*Hilbert 0 of 256²/,
  );
  await tab.page.keyboard.press("h");
});

test("the readout names the pixel under the pointer, its address and its colour", async () => {
  await tab.page.mouse.move(320 + 10, 240 + 20);
  const reply = await tab.call("query_hilbert_address", { hilbert_index: 0, origin: { x: 10, y: 20 } });
  const { r, g, b } = reply.rgba as Record<"r" | "g" | "b", number>;
  const colour = `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  const text = (await tab.page.locator("#readout").textContent()) ?? "";
  assert.ok(text.includes("10, 20 px") && text.includes(colour), text);
  const address = /Hilbert (\d+) of/.exec(text)?.[1];
  assert.deepEqual((await tab.call("query_hilbert_address", { hilbert_index: Number(address) })).coordinates, {
    x: 10,
    y: 20,
  });
});

test("windows open, are dragged by their bar, moved by keys and closed by Escape; agents read where they are", async () => {
  const list = async () =>
    (
      (await tab.call("get_os_state", { include: ["windows"] })).windows as {
        list: { title: string; x: number; y: number; visible: boolean }[];
      }
    ).list;
  await tab.page.setViewportSize({ width: 1100, height: 760 });
  await tab.page.getByRole("button", { name: "Agents", exact: true }).click();
  const before = (await list()).find(({ title }) => title === "Agents");
  assert.equal(before?.visible, true);
  const bar = await tab.page.locator('[data-window="agents"] .window-bar').boundingBox();
  assert.ok(bar !== null);
  await tab.page.mouse.move(bar.x + 80, bar.y + 10);
  await tab.page.mouse.down();
  await tab.page.mouse.move(bar.x - 120, bar.y + 60, { steps: 3 });
  await tab.page.mouse.up();
  const dragged = (await list()).find(({ title }) => title === "Agents");
  assert.deepEqual([dragged?.x, dragged?.y], [before.x - 200, before.y + 50]);
  assert.ok((await tab.state<string[]>("windows")).includes("Agents"));
  await tab.page.locator('[data-window="agents"]').focus();
  await tab.page.keyboard.press("ArrowLeft");
  assert.equal((await list()).find(({ title }) => title === "Agents")?.x, before.x - 216);
  await tab.page.keyboard.press("Escape");
  assert.equal((await list()).find(({ title }) => title === "Agents")?.visible, false);
  assert.equal(
    await tab.page.evaluate(() => document.activeElement?.textContent),
    "Agents",
    "the keyboard goes back to the dock",
  );
});

test("a person runs a program and loads nothing wrong, and is told", async () => {
  await tab.page.getByRole("button", { name: "Console", exact: true }).click();
  await tab.page.getByRole("button", { name: "Run", exact: true }).click();
  await tab.page.locator(".log .said", { hasText: "Hi" }).waitFor();
  await tab.page.getByRole("button", { name: "Cartridges", exact: true }).click();
  await tab.page.getByLabel("Address of a cartridge").fill("/apps/geometry/no-such.png");
  await tab.page.getByRole("button", { name: "Load", exact: true }).click();
  await tab.page.locator(".log .bad", { hasText: "Failed to fetch /apps/geometry/no-such.png: 404" }).waitFor();
});

test("on a phone fingers pan and pinch, and windows are sheets, one at a time", async () => {
  const context = await stage.browser.newContext({
    viewport: { width: 390, height: 760 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await stage.enter(page, `${stage.home.url}/apps/geometry/?sessionId=phone`);
  const touch = await context.newCDPSession(page);
  const fingers = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) =>
    touch.send("Input.dispatchTouchEvent", { type, touchPoints });
  await fingers("touchStart", { x: 200, y: 300 });
  await fingers("touchMove", { x: 150, y: 340 });
  await fingers("touchEnd");
  const state = async () => JSON.parse((await stage.home.eye("--page", "phone", "state", "camera")).stdout) as Camera;
  await until("the map was moved", async () => ((await state()).x === 50 && (await state()).y === -40) || undefined);
  await fingers("touchStart", { x: 145, y: 380 }, { x: 245, y: 380 });
  await fingers("touchMove", { x: 95, y: 380 }, { x: 295, y: 380 });
  await fingers("touchEnd");
  await until("the map was pinched", async () => Math.abs((await state()).zoom - 2) < 1e-6 || undefined);
  await page.getByRole("button", { name: "State", exact: true }).tap();
  await page.getByRole("button", { name: "Cartridges", exact: true }).tap();
  assert.equal(await page.locator(".window:visible").count(), 1);
  const sheet = await page.locator(".window:visible").boundingBox();
  assert.ok(sheet !== null && sheet.x === 8 && sheet.width === 374, JSON.stringify(sheet));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing is wider than the phone");
  await context.close();
});

test("a hidden tab answers every tool at once, with the map's real pixels", async () => {
  const home = await Home.open();
  await home.up();
  const chromium = await BareChromium.open(`${home.url}/apps/geometry/?sessionId=back&mock_backends=true`);
  try {
    await until(
      "its tools are there",
      async () => (await home.eye("--page", "back", "tools")).stdout.includes("spawn_area_agent") || undefined,
      60_000,
    );
    // A tab that is not shown yet would come to the front later, over the newly opened one.
    await home.eye("--page", "back", "await new Promise((shown) => requestAnimationFrame(shown))");
    const opened = await home.eye(
      "--page",
      "back",
      'void window.open("/apps/geometry/?sessionId=front", "_blank", "noopener")',
    );
    assert.equal(opened.code, 0, opened.stderr);
    await until(
      "the first tab is hidden",
      async () => (await home.pages()).find(({ id }) => id === "back")?.visible === false || undefined,
      60_000,
    );
    const call = async (tool: string, args: object): Promise<Record<string, unknown>> => {
      const { stdout, stderr, code } = await home.eye("--page", "back", "call", tool, JSON.stringify(args));
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    assert.equal((await home.eye("--page", "back", "document.visibilityState")).stdout, "hidden\n");
    assert.deepEqual((await call("navigate_map", { x: 1, y: 1, zoom: 3 })).camera, { x: 100, y: 100, zoom: 3 });
    assert.equal(((await call("query_hilbert_address", { hilbert_index: 9 })).rgba as { a: number }).a, 255);
    assert.equal((await call("execute_pixel_program", { program: "01002a00 ff000000" })).result, 42);
    const { cartridgeUrl, mock } = await call("trigger_evolution", { seed_shader: "x" });
    assert.equal(mock, true);
    assert.equal((await call("load_rts_cartridge", { url: cartridgeUrl })).dimensions, "64x64");
    assert.equal(
      (
        await call("spawn_area_agent", {
          agent_type: "monitor",
          region: { x: 0, y: 0, width: 9, height: 9, unit: "pixels" },
        })
      ).status,
      "running",
    );
    assert.equal((await call("send_llm_prompt", { prompt: "hello" })).mock, true);
    await call("get_os_state", {});
  } finally {
    await chromium.close();
    await home.close();
  }
});
