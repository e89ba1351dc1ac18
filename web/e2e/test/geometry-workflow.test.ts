// The whole workflow with only real parts: a shader evolves in the hub, its cartridge is loaded on the map, visited and
// read by address, an area agent confirms its entropy, and a language model describes it. Through the CLI, and through
// MCP.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { decode } from "fast-png";
import { FaultyServer } from "../stage/faulty.js";
import { GeometryTab, type Reply, type Rgba } from "../stage/geometry.js";
import { get } from "../stage/knock.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";
import { program } from "../../harness/program.js";

const SHADER =
  "@fragment\nfn main(@location(0) uv: vec2f) -> @location(0) vec4f {\n  return vec4f(uv.x, 0.5, 0.25, 1.0);\n}\n";
const WISH = { seed_shader: SHADER, generations: 6, population_size: 12, fitness_metric: "entropy", seed: 42 };
const CORNER = { x: 2000, y: -1000 };
const SIDE = 400;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface AgentState {
  readonly agentId: string;
  readonly status: string;
  readonly report: {
    readonly kind: string;
    readonly entropy: number;
    readonly uniqueColors: number;
    readonly pixels: number;
  } | null;
}

/** A way to call the page's tools. */
type Call = (tool: string, args: object) => Promise<Reply>;

let stage: Stage;
let model: FaultyServer;
let tab: GeometryTab;

before(async () => {
  stage = await Stage.open();
  model = await FaultyServer.open();
  model.manners = {
    request(body, response) {
      const { messages, model: name } = JSON.parse(body) as { messages: { content: string }[]; model: string };
      const content = `You said: ${messages.at(-1)?.content ?? ""}`;
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          id: "1",
          object: "chat.completion",
          model: name,
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
          usage: { prompt_tokens: 20, completion_tokens: 22, total_tokens: 42 },
        }),
      );
    },
  };
  await stage.home.eye("down");
  await stage.home.up("--llm", model.url);
  tab = await GeometryTab.open(stage, "workflow");
});

after(async () => {
  await stage.close();
  await model.close();
});

async function workflow(call: Call): Promise<void> {
  // A shader evolves.
  const evolved = await call("trigger_evolution", WISH);
  const { bestFitness, seedFitness, cartridgeUrl, evolvedShader, entropy } = evolved as Record<string, unknown> & {
    bestFitness: number;
    seedFitness: number;
    cartridgeUrl: string;
    entropy: number;
  };
  assert.equal(evolved.generationsCompleted, 6);
  assert.ok(bestFitness >= seedFitness, "it is no worse than what it began with");
  // Its cartridge is a PNG, the same that the page will show.
  const token = await stage.home.token();
  const [picture, source] = await Promise.all(
    [cartridgeUrl, cartridgeUrl.replace(".rts.png", ".wgsl")].map(async (path) => {
      const response = await fetch(`${stage.home.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(response.status, 200, path);
      return Buffer.from(await response.arrayBuffer());
    }),
  );
  assert.ok(picture !== undefined && source !== undefined);
  assert.equal(source.toString(), evolvedShader);
  const png = decode(picture);
  // It is loaded on the map and visited.
  const loaded = await call("load_rts_cartridge", {
    url: cartridgeUrl,
    position: { x: CORNER.x / 100, y: CORNER.y / 100 },
    autoNavigate: false,
  });
  assert.deepEqual(
    [loaded.dimensions, loaded.position, loaded.size],
    ["256x256", CORNER, { width: SIDE, height: SIDE }],
  );
  assert.ok(Math.abs(Number(loaded.entropy) - entropy) < 1e-5, "page and hub count the same entropy");
  assert.equal(
    (await tab.eye(`geometryOSApp.shaderAt(${String(CORNER.x)}, ${String(CORNER.y)}, 10, 10)`)).stdout.trimEnd(),
    source.toString().trimEnd(),
  );
  const gone = await call("navigate_map", { x: (CORNER.x + SIDE / 2) / 100, y: (CORNER.y + SIDE / 2) / 100, zoom: 1 });
  assert.deepEqual(gone.camera, { x: CORNER.x + SIDE / 2, y: CORNER.y + SIDE / 2, zoom: 1 });
  // Its pixels are read by address.
  for (const hilbert_index of [0, 12_345, 65_535]) {
    const { coordinates, rgba } = (await call("query_hilbert_address", {
      hilbert_index,
      origin: CORNER,
    })) as unknown as { coordinates: Point; rgba: Rgba };
    const at = (Math.floor((coordinates.y + 0.5) / 1.5625) * 256 + Math.floor((coordinates.x + 0.5) / 1.5625)) * 4;
    assert.deepEqual([rgba.r, rgba.g, rgba.b], [...png.data.subarray(at, at + 3)], `index ${String(hilbert_index)}`);
  }
  // An analyzer confirms the entropy.
  const spawned = await call("spawn_area_agent", {
    agent_type: "analyzer",
    region: { ...CORNER, width: SIDE, height: SIDE, unit: "pixels" },
  });
  assert.deepEqual(spawned.region, { ...CORNER, width: SIDE, height: SIDE, unit: "pixels" });
  const measured = await until("the analyzer has reported", async () => {
    const agents = await tab.state<AgentState[]>("agents");
    return agents.find(({ agentId }) => agentId === spawned.agentId)?.report ?? undefined;
  });
  assert.equal(measured.kind, "measures");
  assert.equal(measured.pixels, SIDE * SIDE);
  assert.equal(measured.uniqueColors, loaded.uniqueColors);
  // 256 pixels drawn on 400 do not all appear equally often.
  assert.ok(Math.abs(measured.entropy - entropy) < 0.1, `${String(measured.entropy)} is near ${String(entropy)}`);
  // A language model is asked about it.
  const prompt = `Describe a picture with an entropy of ${measured.entropy.toFixed(2)} bits and ${String(measured.uniqueColors)} colours.`;
  const { latencyMs, ...answer } = await call("send_llm_prompt", { prompt, model: "tiny" });
  assert.equal(typeof latencyMs, "number");
  assert.deepEqual(answer, {
    success: true,
    response: `You said: ${prompt}`,
    model: "tiny",
    tokensUsed: { prompt: 20, completion: 22, total: 42 },
  });
}

test("evolve, load, go there, read, analyse, describe: through the CLI", () =>
  workflow((tool, args) => tab.call(tool, args)));

test("the same through MCP", async () => {
  const client = new Client({ name: "eye-e2e", version: "0.1.0" });
  await client.connect(
    new StdioClientTransport({
      command: program(),
      args: ["mcp"],
      env: { ...stage.home.env },
      cwd: join(stage.home.folder, "work"),
    }),
  );
  const text = (result: unknown): string => (result as { content: { text?: string }[] }).content[0]?.text ?? "";
  const found = text(await client.callTool({ name: "mcp_discover", arguments: { query: "evolve a shader" } }));
  assert.match(found, /^trigger_evolution\(/m);
  await workflow(async (tool, args) => {
    const result = await client.callTool({ name: "mcp_call", arguments: { name: tool, arguments: args } });
    return JSON.parse(text(result)) as Reply;
  });
  await client.close();
});

test("a shader that does not parse is said with its line and column", async () => {
  const refused = await tab.refused("trigger_evolution", {
    seed_shader: "@fragment\nfn main() -> @location(0) vec4f {\n  return vec4f(1.0;\n}",
  });
  assert.equal(refused.error_code, "INVALID_INPUT");
  assert.equal(refused.line, 3, JSON.stringify(refused));
  assert.equal(typeof refused.column, "number");
});

test("agents are paused, started and stopped by a person, survive a reload of their page, and are known to it afterwards", async () => {
  const { agentId, status } = await tab.call("spawn_area_agent", {
    agent_type: "monitor",
    region: { x: 0, y: 0, width: 64, height: 64, unit: "pixels" },
    config: { heartbeat_interval: 1 },
    auto_start: false,
  });
  assert.equal(status, "spawned");
  await tab.page.setViewportSize({ width: 1100, height: 760 });
  const card = tab.page.locator(`[data-agent="${String(agentId)}"]`);
  await tab.page.getByRole("button", { name: "Agents", exact: true }).click();
  await card.getByRole("button", { name: "Start" }).click();
  await card.locator('[data-status="running"]').waitFor();
  await card.getByText(/[1-9]\d* heartbeat/).waitFor();
  await tab.page.reload();
  await stage.joined(tab.page);
  await tab.page.getByRole("button", { name: "Agents", exact: true }).click();
  await card.locator('[data-status="running"]').waitFor();
  await card.getByText(/[1-9]\d* heartbeat/).waitFor();
  await card.getByRole("button", { name: "Pause" }).click();
  await card.locator('[data-status="paused"]').waitFor();
  await card.getByRole("button", { name: "Stop" }).click();
  await card.locator('[data-status="stopped"]').waitFor();
});

test("an executor runs its program in the page, a monitor sees what changes, an evolver lays its result on the map", async () => {
  const region = { x: 5000, y: 5000, width: 100, height: 100, unit: "pixels" };
  const report = (agentId: unknown, wanted: (report: Readonly<Record<string, unknown>>) => boolean) =>
    until(
      `${String(agentId)} has reported`,
      async () => {
        const found =
          (await tab.state<AgentState[]>("agents")).find((agent) => agent.agentId === agentId)?.report ?? null;
        return found !== null && wanted(found as unknown as Readonly<Record<string, unknown>>) ? found : undefined;
      },
      60_000,
    );
  const executor = await tab.call("spawn_area_agent", {
    agent_type: "executor",
    region,
    config: { program: "01002a00 ff000000" },
  });
  await report(executor.agentId, ({ kind, result }) => kind === "executed" && result === 42);
  const monitor = await tab.call("spawn_area_agent", { agent_type: "monitor", region, config: { interval_ms: 200 } });
  await report(monitor.agentId, ({ kind }) => kind === "baseline");
  const evolver = await tab.call("spawn_area_agent", {
    agent_type: "evolver",
    region,
    config: { seed_shader: SHADER, generations: 2, population_size: 6 },
  });
  await report(evolver.agentId, ({ kind, placed }) => kind === "evolved" && placed === true);
  await report(monitor.agentId, ({ kind }) => kind === "changed");
  const cartridges = await tab.state<Point[]>("cartridges");
  assert.ok(
    cartridges.some(({ x, y }) => x === region.x && y === region.y),
    JSON.stringify(cartridges),
  );
});

test("the test page passes with its backends there", async () => {
  const page = await stage.context.newPage();
  await page.goto(`${stage.home.url}/apps/geometry/test.html`);
  await page.locator('#summary[data-state="done"]').waitFor({ timeout: 180_000 });
  assert.deepEqual(await page.locator('#groups li:not([data-outcome="passed"])').allTextContents(), []);
  await page.close();
});

test("backends are for the hub's own pages: another origin is refused", async () => {
  const own = await get(stage.home.port, "/cartridges/", { origin: stage.home.url });
  assert.equal(own.status, 200);
  const stranger = await get(stage.home.port, "/cartridges/", { origin: "http://localhost:5173" });
  assert.equal(stranger.status, 403);
});
