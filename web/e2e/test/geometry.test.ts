// The geometry app as agents and people use it: a real page, real hands, the real hub and the real CLI.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { cartridge, GeometryTab, sameColour, VIEW, type Reply, type Rgba } from "../stage/geometry.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

const NAMES = [
  "navigate_map",
  "get_os_state",
  "execute_pixel_program",
  "load_rts_cartridge",
  "query_hilbert_address",
  "trigger_evolution",
  "send_llm_prompt",
  "spawn_area_agent",
  "list_area_agents",
  "get_area_agent",
  "control_area_agent",
];
const MIDDLE = { x: VIEW.width / 2, y: VIEW.height / 2 };

let stage: Stage;
let tab: GeometryTab;

before(async () => {
  stage = await Stage.open();
  tab = await GeometryTab.open(stage, "geometry");
});

after(() => stage.close());

/** Serves bytes to pages of any origin. */
function serve(path: string, bytes: Buffer, status = 200): string {
  stage.site.serve(path, (_, response) =>
    response.writeHead(status, { "access-control-allow-origin": "*" }).end(bytes),
  );
  return stage.site.url(path);
}

/** Waits until that colour is visible there. */
function sees(x: number, y: number, wanted: Rgba): Promise<true> {
  return until(
    `${JSON.stringify(wanted)} is seen at ${String(x)}, ${String(y)}`,
    async () => sameColour(await tab.seen(x, y), wanted) || undefined,
  );
}

test("all tools are offered, in order and with their titles", async () => {
  const tools = JSON.parse((await tab.eye("tools", "--json")).stdout) as {
    name: string;
    title: string;
    inputSchema: object;
    timeout?: number;
  }[];
  assert.deepEqual(
    tools.map(({ name }) => name),
    NAMES,
  );
  assert.equal(tools[4]?.title, "Query Hilbert Address");
  assert.equal(tools[5]?.timeout, 70_000);
});

test("the page says when it is ready, to all listeners, and what it has", async () => {
  const page = await stage.context.newPage();
  await page.addInitScript(() => {
    const told: unknown[] = [];
    Object.assign(globalThis, { told });
    for (const name of ["geometry-os-ready", "webmcp-ready"])
      addEventListener(name, (event) =>
        told.push([name, (event as CustomEvent<unknown>).detail, "geometryOSApp" in globalThis]),
      );
  });
  await stage.enter(page, `${stage.home.url}/apps/geometry/`);
  await page.waitForFunction(() => (globalThis as unknown as { told: unknown[] }).told.length === 2);
  assert.deepEqual(await page.evaluate(() => (globalThis as unknown as { told: unknown[] }).told), [
    ["geometry-os-ready", null, true],
    ["webmcp-ready", { tools: NAMES, mockMode: false }, true],
  ]);
  const status = await page.evaluate(() =>
    (globalThis as unknown as { webmcpBridge: { getStatus(): Reply } }).webmcpBridge.getStatus(),
  );
  assert.deepEqual(
    [status.registered, status.appConnected, status.totalCalls, status.tools, status.mockMode],
    [true, true, 0, NAMES, false],
  );
  await page.close();
});

test("navigate_map moves what is seen and what is published", async () => {
  const reply = await tab.call("navigate_map", { x: 2, y: 3, zoom: 2 });
  assert.deepEqual(reply, {
    success: true,
    camera: { x: 200, y: 300, zoom: 2 },
    visibleBounds: { left: 40, top: 180, right: 360, bottom: 420 },
    region: "custom",
  });
  await tab.cached<Camera>("camera", ({ x, y, zoom }) => x === 200 && y === 300 && zoom === 2);
  await tab.page.waitForFunction(() => document.querySelector("#zoom")?.textContent === "200 %");
});

test("an index of the Hilbert curve has the colour that a person sees there", async () => {
  await tab.call("navigate_map", { region: "origin" });
  for (const hilbert_index of [0, 1, 777, 4711, 65_535]) {
    const { coordinates, rgba } = (await tab.call("query_hilbert_address", { hilbert_index })) as unknown as {
      coordinates: { x: number; y: number };
      rgba: Rgba;
    };
    assert.equal(rgba.a, 255);
    // Not all of the grid is in view at once.
    await tab.call("navigate_map", { x: coordinates.x / 100, y: coordinates.y / 100, zoom: 1 });
    await sees(MIDDLE.x, MIDDLE.y, rgba);
  }
});

test("what is outside the view has the same colour as inside", async () => {
  await tab.call("navigate_map", { region: "antigravity_prime" });
  const [far] = (
    await tab.call("query_hilbert_address", { hilbert_index: 150_000_000_000, grid_size: 2 ** 19, context_range: 1 })
  ).context as { coordinates: { x: number; y: number }; rgba: Rgba }[];
  assert.ok(far !== undefined && far.coordinates.x > 1000);
  await tab.call("navigate_map", { x: far.coordinates.x / 100, y: far.coordinates.y / 100, zoom: 4 });
  await sees(MIDDLE.x, MIDDLE.y, far.rgba);
});

test("a cartridge is laid on the map exactly, and its pixels are read by address", async () => {
  const wgsl = "@fragment\nfn main() -> @location(0) vec4f { return vec4f(1.0); } // ä";
  const png = cartridge(256, (x, y) => [x, y, (x * y) & 255, x === 0 ? 0 : 255], { wgsl, packed: true });
  const url = serve("/exact.rts.png", png);
  const loaded = await tab.call("load_rts_cartridge", { url, position: { x: 0, y: 0 } });
  const rgba = Buffer.from(
    Array.from({ length: 256 * 256 }, (_, at) => [
      at % 256,
      at >> 8,
      ((at % 256) * (at >> 8)) & 255,
      at % 256 === 0 ? 0 : 255,
    ]).flat(),
  );
  const { sha256, entropy, uniqueColors, ...rest } = loaded;
  assert.equal(sha256, createHash("sha256").update(rgba).digest("hex"));
  assert.ok(typeof entropy === "number" && entropy > 5 && entropy < 8);
  assert.equal(uniqueColors, 256 * 256);
  assert.deepEqual(rest, {
    success: true,
    url,
    id: "c1",
    dimensions: "256x256",
    pixelCount: 65_536,
    byteCount: 262_144,
    position: { x: 0, y: 0 },
    gridPosition: { x: 0, y: 0 },
    scale: 1.5625,
    size: { width: 400, height: 400 },
    hilbert: {
      grid_size: 256,
      head: "00000000010000ff010101ff00010000000200000003000001030 3ff010202ff".replaceAll(" ", ""),
    },
    source: { type: "wgsl", chars: wgsl.length },
  });
  // A state is published behind the answer, and the page paints in between.
  const shows = { x: 200, y: 200, zoom: 1.5 };
  assert.deepEqual(await tab.cached<Camera>("camera", ({ zoom }) => zoom === shows.zoom), shows);
  const pixel = (await tab.call("query_hilbert_address", { hilbert_index: 2000 })) as unknown as {
    coordinates: { x: number; y: number };
    rgba: Rgba;
  };
  const [sourceX, sourceY] = [
    Math.floor((pixel.coordinates.x + 0.5) / 1.5625),
    Math.floor((pixel.coordinates.y + 0.5) / 1.5625),
  ];
  assert.deepEqual(pixel.rgba, { r: sourceX, g: sourceY, b: (sourceX * sourceY) & 255, a: 255 });
  await tab.call("navigate_map", { x: pixel.coordinates.x / 100, y: pixel.coordinates.y / 100, zoom: 1 });
  await sees(MIDDLE.x, MIDDLE.y, pixel.rgba);
  assert.equal((await tab.eye("geometryOSApp.shaderAt(10, 10, 5, 5)")).stdout.trimEnd(), wgsl);
  assert.equal((await tab.eye("geometryOSApp.shaderAt(-10, -10, 5, 5)")).stdout.trimEnd(), "null");
});

test("a region of the map comes back as area agents want it", async () => {
  const read = JSON.parse((await tab.eye("geometryOSApp.readRegion(0, 0, 400, 400)")).stdout) as {
    rgba: string;
    step: number;
    columns: number;
    rows: number;
  };
  assert.deepEqual([read.step, read.columns, read.rows], [1, 400, 400]);
  const bytes = Buffer.from(read.rgba, "base64");
  assert.equal(bytes.length, 400 * 400 * 4);
  assert.deepEqual([...bytes.subarray(399 * 4, 400 * 4)], [255, 0, 0, 255]);
  const large = JSON.parse((await tab.eye("geometryOSApp.readRegion(-5000, 0, 10000, 2000)")).stdout) as {
    rgba: string;
    step: number;
    columns: number;
    rows: number;
  };
  assert.deepEqual([large.step, large.columns, large.rows], [20, 500, 100]);
});

test("cartridges that are not there, no pictures, or broken, are errors with the reason", async () => {
  const missing = await tab.refused("load_rts_cartridge", { url: serve("/missing.png", Buffer.from("nothing"), 404) });
  assert.deepEqual(
    [missing.success, missing.error_code, missing.tool],
    [false, "EXECUTION_FAILED", "load_rts_cartridge"],
  );
  assert.match(String(missing.error), /^Failed to fetch http:\/\/localhost:\d+\/missing.png: 404 Not Found$/);
  assert.match(
    String((await tab.refused("load_rts_cartridge", { url: serve("/page.png", Buffer.from("<html></html>")) })).error),
    /^Failed to load RTS cartridge: it is no PNG$/,
  );
  const broken = cartridge(8, () => [1, 2, 3, 255]);
  broken[broken.length - 20] = (broken[broken.length - 20] ?? 0) ^ 255;
  assert.match(
    String((await tab.refused("load_rts_cartridge", { url: serve("/broken.png", broken) })).error),
    /^Failed to load RTS cartridge: /,
  );
  assert.match(
    String((await tab.refused("load_rts_cartridge", { url: "http://127.0.0.1:9/x.png" })).error),
    /^Failed to load RTS cartridge: /,
  );
  assert.equal((await tab.state<unknown[]>("cartridges")).length, 1, "nothing was laid on the map");
});

test("a program runs, speaks in the console window, and draws on the map", async () => {
  const program = "01014800 0d012000 01016900 0d012000 0101ff00 0d013000 0d013003 ff000000";
  const reply = await tab.call("execute_pixel_program", { program, args: [7] });
  assert.deepEqual(
    [reply.output, reply.result, reply.instructions, reply.target, reply.ended],
    ["Hi", 7, 8, "cpu", "halt"],
  );
  assert.equal((reply.trace as string[])[1], "1 STORE 1 32 0 R1=72");
  assert.match((await tab.page.locator('[data-window="console"] .log').textContent()) ?? "", /console Hi/);
  const { rgba } = (await tab.call("query_hilbert_address", {
    hilbert_index: 0,
    origin: { x: 200, y: 200 },
  })) as unknown as { rgba: Rgba };
  assert.deepEqual(rgba, { r: 255, g: 0, b: 0, a: 255 });
});

test("a brick is fetched and checked, and a long program keeps the page alive", async () => {
  const header = Buffer.alloc(132);
  header.writeUInt32LE(0x4252434b, 0);
  header.writeUInt32LE(2, 4);
  header.writeBigUInt64LE(2n, 16);
  const url = serve("/add.brick", Buffer.concat([header, Buffer.from("02000001ff000000", "hex")]));
  assert.equal((await tab.call("execute_pixel_program", { brick_url: url, args: [40, 2] })).result, 42);
  assert.match(
    String(
      (await tab.refused("execute_pixel_program", { brick_url: serve("/short.brick", header.subarray(0, 50)) })).error,
    ),
    /header of 132 bytes/,
  );
  const endless = stage.home.eye(
    "--page",
    tab.session,
    "call",
    "execute_pixel_program",
    JSON.stringify({ program: "0e000000", cycle_limit: 20_000_000, trace: false }),
  );
  const alive = await tab.eye("1 + 1");
  assert.equal(alive.stdout, "2\n");
  assert.match((await endless).stderr, /the cycle limit of 20000000 was reached/);
});

test("wrong input is refused in the seed's form, also where a schema could say so", async () => {
  const generations = await tab.refused("trigger_evolution", { seed_shader: "x", generations: 0 });
  assert.deepEqual(
    [generations.error, generations.error_code, generations.tool],
    ["generations must be an integer between 1 and 100", "INVALID_INPUT", "trigger_evolution"],
  );
  const unknown = await tab.refused("navigate_map", { speed: 1 });
  assert.equal(unknown.error, 'unknown argument "speed"; it takes x, y, zoom, region');
  const fraction = await tab.refused("query_hilbert_address", { hilbert_index: 1.5 });
  assert.deepEqual(
    [fraction.error, fraction.error_code, fraction.tool],
    ["hilbert_index must be a whole number", "INVALID_INPUT", "query_hilbert_address"],
  );
  assert.match(String(fraction.timestamp), /^\d{4}-\d\d-\d\dT/);
  assert.equal(
    (await tab.refused("trigger_evolution", { seed_shader: " " })).error,
    "seed_shader is required and must be a non-empty string",
  );
});

test("get_os_state tells what is there, and counts the calls", async () => {
  const state = await tab.call("get_os_state", { include: ["camera", "windows", "performance"] });
  assert.deepEqual(Object.keys(state), ["os", "paradigm", "timestamp", "webmcp", "camera", "windows", "performance"]);
  const { list } = state.windows as { list: { title: string; visible: boolean }[] };
  assert.deepEqual(
    list.map(({ title }) => title),
    ["State", "Console", "Agents", "Cartridges", "Lab"],
  );
  const { totalCalls } = state.webmcp as { totalCalls: number };
  const again = await tab.call("get_os_state", { include: ["camera"] });
  assert.equal((again.webmcp as { totalCalls: number }).totalCalls, totalCalls + 1);
});
