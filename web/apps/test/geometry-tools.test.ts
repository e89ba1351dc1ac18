// The eight tools: their schemas, what they refuse and in which words, and what they give.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MockBackends } from "../geometry/src/backends/mock.js";
import { d2xy } from "../geometry/src/hilbert.js";
import type { Reply } from "../geometry/src/tools/desk.js";
import { TOOLS } from "../geometry/src/tools/table.js";
import { error, given, stage } from "./geometry-stage.js";

test("there are the eight tools and three for area agents, each with a closed schema and the original's arguments", () => {
  const all = Object.fromEntries(TOOLS.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]));
  assert.deepEqual(all, {
    navigate_map: ["x", "y", "zoom", "region"],
    get_os_state: ["include"],
    execute_pixel_program: ["mode", "program", "brick_url", "entrypoint", "args", "trace", "cycle_limit"],
    load_rts_cartridge: ["url", "position", "autoNavigate"],
    query_hilbert_address: ["hilbert_index", "grid_size", "read_pixels", "context_range", "origin"],
    trigger_evolution: [
      "seed_shader",
      "generations",
      "fitness_metric",
      "mutation_rate",
      "population_size",
      "target_shader",
      "seed",
    ],
    send_llm_prompt: ["prompt", "model", "temperature", "max_tokens", "system_prompt"],
    spawn_area_agent: ["agent_type", "region", "config", "auto_start"],
    list_area_agents: [],
    get_area_agent: ["agent_id"],
    control_area_agent: ["agent_id", "order"],
  });
  for (const { name, inputSchema, description } of TOOLS) {
    assert.equal(inputSchema.additionalProperties, false, name);
    assert.ok(description.length > 20 && description.length < 220, name);
  }
});

test("defaults and bounds are the original's", () => {
  const property = (tool: string, name: string): unknown =>
    TOOLS.find((one) => one.name === tool)?.inputSchema.properties[name];
  const has = (tool: string, name: string, wanted: object): void => {
    const found = property(tool, name) as Record<string, unknown>;
    for (const [key, value] of Object.entries(wanted)) assert.deepEqual(found[key], value, `${tool}.${name}.${key}`);
  };
  has("navigate_map", "zoom", { minimum: 0.05, maximum: 10 });
  has("navigate_map", "region", { enum: ["origin", "antigravity_prime", "neural_nursery", "system_console"] });
  has("query_hilbert_address", "grid_size", { default: 256 });
  has("query_hilbert_address", "read_pixels", { default: true });
  has("query_hilbert_address", "context_range", { default: 0, minimum: 0, maximum: 10 });
  has("trigger_evolution", "generations", { default: 10, minimum: 1, maximum: 100 });
  has("trigger_evolution", "fitness_metric", {
    enum: ["performance", "visual_quality", "correctness", "entropy"],
    default: "performance",
  });
  has("trigger_evolution", "mutation_rate", { default: 0.1, minimum: 0.01, maximum: 0.5 });
  has("trigger_evolution", "population_size", { default: 20 });
  has("send_llm_prompt", "model", { default: "local" });
  has("send_llm_prompt", "temperature", { default: 0.7, minimum: 0, maximum: 2 });
  has("send_llm_prompt", "max_tokens", { default: 2048 });
  has("spawn_area_agent", "agent_type", { enum: ["monitor", "executor", "evolver", "analyzer"] });
  has("spawn_area_agent", "auto_start", { default: true });
  has("execute_pixel_program", "entrypoint", { default: "main" });
  has("execute_pixel_program", "cycle_limit", { default: 1_000_000 });
  has("load_rts_cartridge", "autoNavigate", { default: true });
});

test("navigate_map: grid units are 100 pixels, a region overrides x and y, zoom overrides the region's", async () => {
  const { desk, system } = stage();
  const to = async (args: object): Promise<Reply> => given(await desk.invoke("navigate_map", args));
  assert.deepEqual(await to({ x: 3, y: -2.5, zoom: 2 }), {
    success: true,
    camera: { x: 300, y: -250, zoom: 2 },
    visibleBounds: { left: 100, top: -400, right: 500, bottom: -100 },
    region: "custom",
    mock: true,
  });
  assert.deepEqual((await to({ region: "antigravity_prime", x: 1, y: 1 })).camera, {
    x: 819_200,
    y: 819_200,
    zoom: 0.5,
  });
  assert.deepEqual((await to({ region: "system_console", zoom: 4 })).camera, { x: 200, y: 200, zoom: 4 });
  assert.deepEqual((await to({ region: "neural_nursery" })).region, "neural_nursery");
  assert.deepEqual((await to({ region: "origin" })).camera, { x: 0, y: 0, zoom: 1 });
  assert.deepEqual((await to({ zoom: 3 })).camera, { x: 0, y: 0, zoom: 3 }, "what is left out stays");
  assert.deepEqual(system.viewport.camera, { x: 0, y: 0, zoom: 3 });
});

test("navigate_map refuses what is not on the map, and moves nothing", async () => {
  assert.match(await error("navigate_map", { zoom: 11 }), /zoom must be a number between 0.05 and 10/);
  assert.match(await error("navigate_map", { zoom: 0 }), /zoom must be/);
  assert.match(await error("navigate_map", { x: "1" }), /x must be a finite number/);
  assert.match(await error("navigate_map", { y: NaN }), /y must be a finite number/);
  assert.match(await error("navigate_map", { x: 1e9 }), /x must be between -21474836 and 21474836 grid units/);
  assert.match(
    await error("navigate_map", { region: "nowhere" }),
    /region must be one of: origin, antigravity_prime, neural_nursery, system_console/,
  );
  const hidden = await stage(new MockBackends(), { width: 0, height: 0 }).desk.invoke("navigate_map", { x: 1 });
  assert.deepEqual([hidden.success, hidden.error], [false, "Viewport not initialized"]);
});

test("get_os_state: all sections, or those that are wanted", async () => {
  const { desk } = stage();
  await desk.invoke("navigate_map", { x: 1, y: 2 });
  const all = await desk.invoke("get_os_state");
  assert.deepEqual(Object.keys(all), [
    "os",
    "paradigm",
    "timestamp",
    "webmcp",
    "camera",
    "windows",
    "subsystems",
    "performance",
    "evolution",
    "mock",
  ]);
  assert.deepEqual(all.webmcp, {
    toolsRegistered: 11,
    totalCalls: 2,
    callBreakdown: { navigate_map: 1, get_os_state: 1 },
  });
  assert.deepEqual(all.camera, { x: 100, y: 200, zoom: 1, gridX: 1, gridY: 2 });
  assert.deepEqual(all.windows, {
    count: 1,
    list: [{ title: "State", x: 1, y: 2, width: 3, height: 4, visible: true }],
  });
  const subsystems = all.subsystems as Record<string, unknown>;
  assert.equal(Object.keys(subsystems).length, 13);
  assert.ok(Object.values(subsystems).every((value) => typeof value === "boolean"));
  assert.deepEqual(Object.keys(all.performance as object), [
    "fps",
    "deltaTime",
    "frameTime",
    "idle",
    "renderer",
    "stageChildren",
    "worldChildren",
  ]);
  assert.deepEqual(Object.keys(all.evolution as object), ["nurserySprite", "engineAvailable"]);
  const some = await desk.invoke("get_os_state", { include: ["camera", "evolution"] });
  assert.deepEqual(Object.keys(some).slice(4), ["camera", "evolution", "mock"]);
  assert.match(await error("get_os_state", { include: ["everything"] }), /include takes camera, windows/);
});

test("execute_pixel_program: what it did, where it ran, and how it ended", async () => {
  const { desk, said } = stage();
  const hi = given(
    await desk.invoke("execute_pixel_program", { program: "01014800 0d012000 01016900 0d012000 01002a00 ff000000" }),
  );
  assert.deepEqual([hi.target, hi.output, hi.result, hi.instructions, hi.ended], ["cpu", "Hi", 42, 6, "halt"]);
  assert.deepEqual(hi.registers, { R0: 42, R1: 105 });
  assert.equal((hi.trace as string[]).length, 6);
  assert.deepEqual(said, ["Hi"]);
  const added = given(
    await desk.invoke("execute_pixel_program", {
      program: "02000001 ff000000",
      args: [40, 2],
      trace: false,
      mode: "cpu",
    }),
  );
  assert.deepEqual([added.result, added.trace], [42, null]);
  const cut = given(await desk.invoke("execute_pixel_program", { program: "ff000000", args: [1.9, -1.9] }));
  assert.deepEqual(cut.registers, { R0: 1, R1: 0xffffffff });
});

test("execute_pixel_program ends endless and broken programs with what they did so far", async () => {
  const { desk } = stage();
  const endless = await desk.invoke("execute_pixel_program", { program: "0e000000", cycle_limit: 600_000 });
  assert.deepEqual(
    [endless.success, endless.error, endless.instructions, endless.ended],
    [false, "CPU execution failed: the cycle limit of 600000 was reached", 600_000, "limit"],
  );
  const broken = await desk.invoke("execute_pixel_program", { program: "01000700 63000000" });
  assert.deepEqual(
    [broken.error, broken.error_code, broken.result, broken.target],
    ["CPU execution failed: unknown opcode 99 at word 1", "EXECUTION_FAILED", 7, "cpu"],
  );
});

test("execute_pixel_program says the truth about a graphics card", async () => {
  const reply = await stage().desk.invoke("execute_pixel_program", { program: "ff000000", mode: "gpu" });
  assert.deepEqual([reply.success, reply.target], [false, "none"]);
  assert.match(String(reply.error), /^GPU execution failed: this browser has no WebGPU .*; use mode "cpu"$/);
});

test("execute_pixel_program refuses what it cannot run", async () => {
  assert.equal(await error("execute_pixel_program", {}), "No program or brick_url provided");
  assert.match(
    await error("execute_pixel_program", { program: "ff000000", brick_url: "/x.brick" }),
    /either program or brick_url/,
  );
  assert.match(await error("execute_pixel_program", { program: "ff000000", mode: "quantum" }), /mode must be one of/);
  for (const value of [2 ** 32, -(2 ** 31) - 1, "1"])
    assert.match(await error("execute_pixel_program", { program: "ff000000", args: [value] }), /numbers of 32 bits/);
  assert.match(
    await error("execute_pixel_program", { program: "ff000000", cycle_limit: 0 }),
    /cycle_limit must be an integer between 1 and 100000000/,
  );
  assert.match(
    await error("execute_pixel_program", { program: "ff000000", entrypoint: "start" }),
    /entrypoint must be/,
  );
});

test("query_hilbert_address reads the map's own pixel, also outside the view", async () => {
  const { desk, system, marked } = stage();
  const reply = given(await desk.invoke("query_hilbert_address", { hilbert_index: 4711 }));
  const { x, y } = d2xy(256, 4711);
  assert.deepEqual(reply, {
    success: true,
    hilbert_index: 4711,
    grid_size: 256,
    coordinates: { x, y },
    rgba: system.map.at(x, y),
    mock: true,
  });
  assert.deepEqual(marked, [[x, y]]);
  const far = given(
    await desk.invoke("query_hilbert_address", { hilbert_index: 2 ** 40 + 12_345, grid_size: 2 ** 21 }),
  );
  const place = d2xy(2 ** 21, 2 ** 40 + 12_345);
  assert.deepEqual(far.rgba, system.map.at(place.x, place.y));
  const elsewhere = given(
    await desk.invoke("query_hilbert_address", { hilbert_index: 2, grid_size: 4, origin: { x: 1000, y: -5 } }),
  );
  assert.deepEqual(
    [elsewhere.coordinates, elsewhere.map, elsewhere.rgba],
    [{ x: 1, y: 1 }, { x: 1001, y: -4 }, system.map.at(1001, -4)],
  );
  assert.equal("rgba" in (await desk.invoke("query_hilbert_address", { hilbert_index: 1, read_pixels: false })), false);
});

test("query_hilbert_address gives the neighbours along the curve, as far as it goes", async () => {
  const { desk, system } = stage();
  const at = async (args: object) =>
    given(await desk.invoke("query_hilbert_address", args)).context as {
      hilbert_index: number;
      coordinates: { x: number; y: number };
      rgba: unknown;
    }[];
  const middle = await at({ hilbert_index: 100, context_range: 2 });
  assert.deepEqual(
    middle.map(({ hilbert_index }) => hilbert_index),
    [98, 99, 101, 102],
  );
  for (const { hilbert_index, coordinates, rgba } of middle) {
    assert.deepEqual(coordinates, d2xy(256, hilbert_index));
    assert.deepEqual(rgba, system.map.at(coordinates.x, coordinates.y));
  }
  assert.deepEqual(
    (await at({ hilbert_index: 0, grid_size: 2, context_range: 10 })).map(({ hilbert_index }) => hilbert_index),
    [1, 2, 3],
  );
});

test("query_hilbert_address refuses in the original's words, and fractions too", async () => {
  const refused = (args: object) => error("query_hilbert_address", args);
  assert.equal(await refused({}), "hilbert_index must be a finite number");
  assert.equal(await refused({ hilbert_index: Infinity }), "hilbert_index must be a finite number");
  assert.equal(await refused({ hilbert_index: "5" }), "hilbert_index must be a finite number");
  assert.equal(await refused({ hilbert_index: -1 }), "hilbert_index must be non-negative");
  assert.equal(await refused({ hilbert_index: 1.5 }), "hilbert_index must be a whole number");
  assert.equal(
    await refused({ hilbert_index: 65_536 }),
    "hilbert_index 65536 exceeds grid capacity (65536 for 256x256)",
  );
  for (const grid_size of [100, 0, -4, 2.5])
    assert.equal(
      await refused({ hilbert_index: 0, grid_size }),
      "grid_size must be a positive power of 2 (e.g., 64, 128, 256, 512)",
    );
  assert.match(await refused({ hilbert_index: 0, grid_size: 2 ** 27 }), /at most 67108864/);
  assert.equal(
    await refused({ hilbert_index: 0, context_range: 11 }),
    "context_range must be an integer between 0 and 10",
  );
  assert.match(await refused({ hilbert_index: 0, origin: { x: 0.5, y: 0 } }), /origin must be/);
});

test("an unknown argument is refused with those that are known, and an unknown tool too", async () => {
  assert.equal(await error("navigate_map", { speed: 3 }), 'unknown argument "speed"; it takes x, y, zoom, region');
  assert.match(await error("navigate_map", 7), /arguments must be an object/);
  assert.match(await error("fly", {}), /there is no tool fly; there are navigate_map, /);
});
