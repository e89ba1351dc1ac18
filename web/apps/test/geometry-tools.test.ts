// The eight tools over a system without a screen: their schemas, what they refuse and in which words, and what they
// give.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agents } from "../geometry/src/agents.js";
import type { Backends, EvolutionWish } from "../geometry/src/backends/backends.js";
import { MockBackends } from "../geometry/src/backends/mock.js";
import { Cartridges } from "../geometry/src/cartridge/cartridges.js";
import { unavailable } from "../geometry/src/failure.js";
import { d2xy } from "../geometry/src/hilbert.js";
import { Meter } from "../geometry/src/map/meter.js";
import { PixelMap } from "../geometry/src/map/pixel-map.js";
import { Viewport } from "../geometry/src/map/viewport.js";
import { Desk, type Reply } from "../geometry/src/tools/desk.js";
import { TOOLS } from "../geometry/src/tools/table.js";
import { reportLines } from "../geometry/src/windows/report.js";
import type { System } from "../geometry/src/tools/tool.js";

interface Stage {
  readonly desk: Desk;
  readonly system: System;
  readonly said: string[];
  readonly marked: (readonly [number, number])[];
}

function stage(backends: Backends = new MockBackends(), view = { width: 800, height: 600 }): Stage {
  const map = new PixelMap();
  const [said, marked]: [string[], (readonly [number, number])[]] = [[], []];
  const system: System = {
    map,
    viewport: new Viewport({ x: 0, y: 0, zoom: 1 }, () => view),
    cartridges: new Cartridges(map),
    agents: new Agents(),
    backends,
    meter: new Meter(),
    windows: () => [{ title: "State", x: 1, y: 2, width: 3, height: 4, visible: true }],
    isConnected: () => false,
    calls: () => desk.counts,
    mark: (x, y) => marked.push([x, y]),
    say: (text) => said.push(text),
    showFramebuffer: () => undefined,
  };
  const desk: Desk = new Desk(
    TOOLS,
    () => system,
    () => undefined,
  );
  return { desk, system, said, marked };
}

/** Every backend is away. */
function away(): Backends {
  const gone = (): Promise<never> =>
    Promise.reject(unavailable("Evolution backend not running at ws://localhost:8765"));
  return {
    mock: false,
    evolve: gone,
    prompt: gone,
    spawn: gone,
    order: gone,
    agent: gone,
    agents: gone,
    onAgentEvent: () => undefined,
  };
}

async function error(name: string, args: unknown, code = "INVALID_INPUT"): Promise<string> {
  const reply = await stage().desk.invoke(name, args);
  assert.equal(reply.success, false, JSON.stringify(reply));
  assert.equal(reply.error_code, code, JSON.stringify(reply));
  assert.equal(reply.tool, name);
  assert.match(String(reply.timestamp), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  return String(reply.error);
}

function given(reply: Reply): Reply {
  assert.notEqual(reply.success, false, JSON.stringify(reply));
  return reply;
}

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

test("trigger_evolution refuses in the original's words", async () => {
  const refused = (args: object) => error("trigger_evolution", args);
  assert.equal(await refused({}), "seed_shader is required and must be a non-empty string");
  assert.equal(await refused({ seed_shader: "  " }), "seed_shader is required and must be a non-empty string");
  for (const generations of [0, 101, 1.5, "3"])
    assert.equal(await refused({ seed_shader: "x", generations }), "generations must be an integer between 1 and 100");
  for (const mutation_rate of [0, 0.51, NaN])
    assert.equal(
      await refused({ seed_shader: "x", mutation_rate }),
      "mutation_rate must be a number between 0.01 and 0.5",
    );
  assert.equal(
    await refused({ seed_shader: "x", fitness_metric: "beauty" }),
    "fitness_metric must be one of: performance, visual_quality, correctness, entropy",
  );
});

test("send_llm_prompt refuses in the original's words", async () => {
  const refused = (args: object) => error("send_llm_prompt", args);
  for (const prompt of [undefined, "", 7])
    assert.equal(await refused({ prompt }), "prompt is required and must be a non-empty string");
  for (const temperature of [-0.1, 2.1, "hot"])
    assert.equal(await refused({ prompt: "x", temperature }), "temperature must be a number between 0 and 2");
  assert.equal(await refused({ prompt: "x", max_tokens: 0 }), "max_tokens must be a positive integer");
});

test("spawn_area_agent refuses in the original's words", async () => {
  const refused = (args: object) => error("spawn_area_agent", args);
  const region = { x: 0, y: 0, width: 10, height: 10 };
  assert.equal(await refused({ region }), "agent_type must be one of: monitor, executor, evolver, analyzer");
  assert.equal(
    await refused({ agent_type: "monitor" }),
    "region is required and must be an object with x, y, width, height",
  );
  assert.equal(
    await refused({ agent_type: "monitor", region: [1, 2, 3, 4] }),
    "region is required and must be an object with x, y, width, height",
  );
  assert.equal(
    await refused({ agent_type: "monitor", region: { ...region, width: "10" } }),
    "region must have numeric x, y, width, and height properties",
  );
  assert.equal(
    await refused({ agent_type: "monitor", region: { ...region, height: 0 } }),
    "region width and height must be positive numbers",
  );
  assert.equal(
    await refused({ agent_type: "monitor", region: { ...region, unit: "miles" } }),
    "unit must be one of: grid, pixels",
  );
});

test("a region is in grid units of 100 pixels, or in pixels where unit says so", async () => {
  const { desk, system } = stage();
  const region = { x: 2, y: -1, width: 0.5, height: 3 };
  for (const [asked, pixels] of [
    [region, { x: 200, y: -100, width: 50, height: 300 }],
    [{ ...region, unit: "pixels" }, region],
  ] as const) {
    const spawned = given(
      await desk.invoke("spawn_area_agent", { agent_type: "monitor", region: asked, auto_start: false }),
    );
    assert.deepEqual(spawned.region, asked);
    assert.deepEqual(system.agents.all.at(-1)?.region, pixels);
  }
});

test("area agents are listed, asked and stopped by tools", async () => {
  const { desk, system } = stage();
  const region = { x: 0, y: 0, width: 1, height: 1 };
  const { agentId } = given(await desk.invoke("spawn_area_agent", { agent_type: "monitor", region }));
  const { agents } = given(await desk.invoke("list_area_agents", {})) as unknown as { agents: { agentId: string }[] };
  assert.deepEqual(
    agents.map((agent) => agent.agentId),
    [agentId],
  );
  assert.equal(given(await desk.invoke("get_area_agent", { agent_id: agentId })).status, "running");
  assert.equal(given(await desk.invoke("control_area_agent", { agent_id: agentId, order: "pause" })).status, "paused");
  assert.equal(given(await desk.invoke("control_area_agent", { agent_id: agentId, order: "stop" })).status, "stopped");
  assert.equal(system.agents.all.at(-1)?.status, "stopped");
  assert.equal(
    await error("control_area_agent", { agent_id: "x", order: "kill" }),
    "order must be one of: pause, resume, stop",
  );
  assert.equal(await error("get_area_agent", {}), "agent_id is required and must be a non-empty string");
});

test("a report is lines that a person reads", () => {
  assert.deepEqual(reportLines({ kind: "changed", uniqueColors: 12, entropy: 1.23456789, bounds: { x: 1, y: 2 } }), [
    ["kind", "changed"],
    ["unique colors", "12"],
    ["entropy", "1.2346"],
    ["bounds", "x 1, y 2"],
  ]);
  assert.deepEqual(reportLines("text"), [["report", "text"]]);
});

test("an unknown argument is refused with those that are known, and an unknown tool too", async () => {
  assert.equal(await error("navigate_map", { speed: 3 }), 'unknown argument "speed"; it takes x, y, zoom, region');
  assert.match(await error("navigate_map", 7), /arguments must be an object/);
  assert.match(await error("fly", {}), /there is no tool fly; there are navigate_map, /);
});

test("a backend that is away is an informative error of the tool that needs it; the others need none", async () => {
  const { desk } = stage(away());
  const calls: readonly (readonly [string, object])[] = [
    ["trigger_evolution", { seed_shader: "x" }],
    ["send_llm_prompt", { prompt: "x" }],
    ["spawn_area_agent", { agent_type: "monitor", region: { x: 0, y: 0, width: 1, height: 1 } }],
  ];
  for (const [name, args] of calls) {
    const reply = await desk.invoke(name, args);
    assert.deepEqual([reply.success, reply.error_code, reply.tool], [false, "BACKEND_UNAVAILABLE", name]);
    assert.match(String(reply.error), /not running at/);
    assert.equal("mock" in reply, false);
  }
  given(await desk.invoke("query_hilbert_address", { hilbert_index: 0 }));
});

test("the backend is asked with the seed's defaults", async () => {
  let asked: EvolutionWish | undefined;
  const backends = {
    ...away(),
    evolve: (wish: EvolutionWish) => (
      (asked = wish), Promise.resolve({ bestFitness: 1, generationsCompleted: 2, evolvedShader: "y", cartridgeId: "z" })
    ),
  };
  assert.deepEqual(await stage(backends).desk.invoke("trigger_evolution", { seed_shader: "x" }), {
    success: true,
    bestFitness: 1,
    generationsCompleted: 2,
    evolvedShader: "y",
    cartridgeId: "z",
  });
  assert.deepEqual(asked, {
    seed_shader: "x",
    generations: 10,
    fitness_metric: "performance",
    mutation_rate: 0.1,
    population_size: 20,
  });
});

test("mocks answer everything, and say so in every answer, errors too", async () => {
  const { desk, system } = stage();
  const evolved = given(await desk.invoke("trigger_evolution", { seed_shader: "fn main() {}", generations: 3 }));
  assert.deepEqual([evolved.mock, evolved.generationsCompleted], [true, 3]);
  const answer = given(await desk.invoke("send_llm_prompt", { prompt: "hello" }));
  assert.deepEqual(
    [answer.mock, answer.response, typeof answer.latencyMs],
    [true, "Mock response to: hello", "number"],
  );
  const spawned = given(
    await desk.invoke("spawn_area_agent", {
      agent_type: "monitor",
      region: { x: 0, y: 0, width: 5, height: 5 },
      auto_start: false,
    }),
  );
  assert.deepEqual([spawned.mock, spawned.status, spawned.heartbeatInterval], [true, "spawned", 5]);
  assert.equal(system.agents.all.length, 1);
  assert.equal((await desk.invoke("navigate_map", { zoom: 99 })).mock, true);
  for (const { name } of TOOLS) assert.equal((await desk.invoke(name, {})).mock, true, name);
});
