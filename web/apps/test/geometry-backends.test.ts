// The tools that ask a backend: what they refuse, what they ask it with, and what they say without it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvolutionWish } from "../geometry/src/backends/backends.js";
import { TOOLS } from "../geometry/src/tools/table.js";
import { reportLines } from "../geometry/src/windows/report.js";
import { away, error, given, stage } from "./geometry-stage.js";

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
