// Failures of the geometry app's backends: unreachable, silent, hanging up in the middle, sending nonsense. The server
// is real and misbehaves.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Agent } from "../stage/agent.js";
import { FaultyServer, type ReceivedMessage } from "../stage/faulty.js";
import { GeometryTab, type Reply } from "../stage/geometry.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const SHADER = { seed_shader: "fn main() {}" };
const AGENT = { agent_type: "monitor", region: { x: 0, y: 0, width: 10, height: 10, unit: "pixels" } };

let stage: Stage;
let server: FaultyServer;
let tab: GeometryTab;

before(async () => {
  stage = await Stage.open();
  server = await FaultyServer.open();
  tab = await GeometryTab.open(stage, "faults", `&backends=${encodeURIComponent(server.url)}`);
});

beforeEach(() => {
  server.manners = {};
  server.forget();
});

after(async () => {
  await stage.close();
  await server.close();
});

function assertRefused(reply: Reply, code: string, words: RegExp): void {
  assert.deepEqual([reply.success, reply.error_code], [false, code], JSON.stringify(reply));
  assert.match(String(reply.error), words);
}

const reply = (more: object) => (message: ReceivedMessage, socket: { send(text: string): void }) =>
  socket.send(JSON.stringify({ requestId: message.requestId, ...more }));

test("evolution is asked as the seed says, and its reply is the answer", async () => {
  const good = {
    success: true,
    bestFitness: 0.5,
    generationsCompleted: 10,
    evolvedShader: "y",
    cartridgeId: "abc",
    cartridgeUrl: "/cartridges/abc.rts.png",
  };
  server.manners = { message: reply(good) };
  assert.deepEqual(await tab.call("trigger_evolution", SHADER), good);
  const request = await server.receive(({ action }) => action === "evolve");
  assert.match(request.requestId, /^evo_\d+_\w+$/);
  const { requestId: _, ...wish } = request;
  assert.deepEqual(wish, {
    action: "evolve",
    seed_shader: "fn main() {}",
    generations: 10,
    fitness_metric: "performance",
    mutation_rate: 0.1,
    population_size: 20,
    progress: true,
  });
  await server.hungUp();
});

test("progress of evolution reaches the caller", async () => {
  server.manners = {
    message(message, socket) {
      socket.send(
        JSON.stringify({
          requestId: message.requestId,
          type: "progress",
          generation: 3,
          generations: 10,
          bestFitness: 0.25,
        }),
      );
      reply({ success: true, bestFitness: 1, generationsCompleted: 10, evolvedShader: "y", cartridgeId: "abc" })(
        message,
        socket,
      );
    },
  };
  const agent = await Agent.connect(stage.home.socket);
  agent.send(
    JSON.stringify({
      jsonrpc: "2.0",
      id: "e",
      method: "tools/call",
      params: { name: "trigger_evolution", arguments: SHADER, page: tab.session },
    }),
  );
  const progress = JSON.parse(await agent.frame((frame) => frame.includes("call/progress"))) as { params: unknown };
  assert.deepEqual(progress.params, { id: "e", progress: 3, total: 10, message: "best fitness 0.2500" });
  const answer = JSON.parse(await agent.frame((frame) => frame.includes('"result"'))) as {
    result: { structuredContent: { bestFitness: number } };
  };
  assert.equal(answer.result.structuredContent.bestFitness, 1);
  agent.close();
});

test("a backend that is not there is said to be away, with what to do", async () => {
  const gone = await FaultyServer.open();
  const url = gone.url;
  await gone.close();
  const away = await GeometryTab.open(stage, "away", `&backends=${encodeURIComponent(url)}`);
  const origin = url.replace("http", "ws");
  const evolution = await away.refused("trigger_evolution", SHADER);
  assertRefused(evolution, "BACKEND_UNAVAILABLE", /^Evolution backend not running at ws:/);
  assert.ok(String(evolution.error).endsWith(origin), String(evolution.error));
  assert.match(String(evolution.hint), /eye up/);
  assertRefused(
    await away.refused("spawn_area_agent", AGENT),
    "BACKEND_UNAVAILABLE",
    /^Agent backend not running at ws:/,
  );
  assertRefused(
    await away.refused("send_llm_prompt", { prompt: "x" }),
    "BACKEND_UNAVAILABLE",
    /^Failed to connect to LM Studio: /,
  );
  await away.page.close();
});

test("a socket that is closed in the middle is noticed at once", async () => {
  server.manners = { message: (_, socket) => socket.terminate() };
  assertRefused(
    await tab.refused("trigger_evolution", SHADER),
    "BACKEND_UNAVAILABLE",
    /^Evolution backend closed the connection before it answered \(1006\)/,
  );
  assertRefused(
    await tab.refused("spawn_area_agent", AGENT),
    "BACKEND_UNAVAILABLE",
    /^Agent backend closed the connection before it answered/,
  );
  server.manners = { message: (_, socket) => socket.close(1001, "going away") };
  assertRefused(await tab.refused("trigger_evolution", SHADER), "BACKEND_UNAVAILABLE", /\(1001 going away\)/);
});

test("after a closed socket the next call opens another", async () => {
  server.manners = { message: (_, socket) => socket.terminate() };
  await tab.refused("spawn_area_agent", AGENT);
  server.manners = { message: reply({ success: true, agentId: "a1", status: "running", heartbeatInterval: 5 }) };
  assert.equal((await tab.call("spawn_area_agent", AGENT)).agentId, "a1");
});

test("nonsense is an error that shows it", async () => {
  server.manners = { message: (_, socket) => socket.send("<html>") };
  assertRefused(
    await tab.refused("trigger_evolution", SHADER),
    "EXECUTION_FAILED",
    /^Evolution backend sent what is no JSON object: <html>/,
  );
  server.manners = { message: reply({ success: true, bestFitness: "high" }) };
  assertRefused(
    await tab.refused("trigger_evolution", SHADER),
    "EXECUTION_FAILED",
    /malformed reply: bestFitness is no number/,
  );
  server.manners = { message: reply({ success: true, agentId: 7 }) };
  assertRefused(
    await tab.refused("spawn_area_agent", AGENT),
    "EXECUTION_FAILED",
    /malformed reply: agentId is no text/,
  );
});

test("a refusal of the backend comes with its own code, words and place", async () => {
  server.manners = {
    message: reply({ success: false, error: "expected `}`", error_code: "INVALID_INPUT", line: 3, column: 9 }),
  };
  const refused = await tab.refused("trigger_evolution", SHADER);
  assertRefused(refused, "INVALID_INPUT", /^expected `}`$/);
  assert.deepEqual([refused.line, refused.column], [3, 9]);
  server.manners = { message: reply({ success: false, error: "boom" }) };
  assertRefused(await tab.refused("trigger_evolution", SHADER), "EXECUTION_FAILED", /^boom$/);
});

test("replies to others are not mistaken for ours, in whatever order they come", async () => {
  const waiting: (() => void)[] = [];
  server.manners = {
    message(message, socket) {
      socket.send(JSON.stringify({ requestId: "somebody", success: true, agentId: "wrong" }));
      waiting.push(() =>
        reply({ success: true, agentId: `for ${String((message.region as { x: number }).x)}`, status: "running" })(
          message,
          socket,
        ),
      );
      if (waiting.length === 3) for (const answer of waiting.reverse()) answer();
    },
  };
  const spawned = await Promise.all(
    [1, 2, 3].map((x) => tab.invoke("spawn_area_agent", { ...AGENT, region: { ...AGENT.region, x } })),
  );
  assert.deepEqual(
    spawned.map(({ agentId }) => agentId),
    ["for 1", "for 2", "for 3"],
  );
});

test("who cancels takes the work back", async () => {
  const agent = await Agent.connect(stage.home.socket);
  agent.send(
    JSON.stringify({
      jsonrpc: "2.0",
      id: "c",
      method: "tools/call",
      params: { name: "trigger_evolution", arguments: SHADER, page: tab.session },
    }),
  );
  const request = await server.receive(({ action }) => action === "evolve");
  agent.send(JSON.stringify({ jsonrpc: "2.0", method: "call/cancel", params: { id: "c" } }));
  const cancelled = await server.receive(({ action }) => action === "cancel");
  assert.equal(cancelled.requestId, request.requestId);
  await server.hungUp();
  agent.close();
});

test("the language model is asked as the seed says, and its tokens are counted", async () => {
  server.manners = {
    request: (_, response) =>
      response.end(
        JSON.stringify({
          model: "tiny",
          choices: [{ message: { role: "assistant", content: "a map" } }],
          usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
        }),
      ),
  };
  const answer = await tab.call("send_llm_prompt", { prompt: "what is it?", system_prompt: "be short" });
  const { latencyMs, ...rest } = answer;
  assert.deepEqual(rest, {
    success: true,
    response: "a map",
    model: "tiny",
    tokensUsed: { prompt: 5, completion: 2, total: 7 },
  });
  assert.equal(typeof latencyMs, "number");
  const { body } = await server.receive(({ body: text }) => text !== undefined);
  assert.deepEqual(JSON.parse(String(body)), {
    model: "local",
    temperature: 0.7,
    max_tokens: 2048,
    messages: [
      { role: "system", content: "be short" },
      { role: "user", content: "what is it?" },
    ],
  });
});

test("a language model that fails says how", async () => {
  const prompt = { prompt: "x" };
  server.manners = { request: (_, response) => response.writeHead(500).end("out of memory") };
  assertRefused(
    await tab.refused("send_llm_prompt", prompt),
    "EXECUTION_FAILED",
    /^LM Studio returned HTTP 500: out of memory$/,
  );
  server.manners = { request: (_, response) => response.writeHead(503).end("loading") };
  assertRefused(
    await tab.refused("send_llm_prompt", prompt),
    "BACKEND_UNAVAILABLE",
    /^LM Studio returned HTTP 503: loading$/,
  );
  server.manners = {
    request: (_, response) =>
      response.writeHead(502).end(
        JSON.stringify({
          success: false,
          error: "the LLM server cannot be reached",
          error_code: "BACKEND_UNAVAILABLE",
          hint: "start it",
        }),
      ),
  };
  const refused = await tab.refused("send_llm_prompt", prompt);
  assertRefused(refused, "BACKEND_UNAVAILABLE", /^the LLM server cannot be reached$/);
  assert.equal(refused.hint, "start it");
  server.manners = { request: (_, response) => response.end("not json") };
  assertRefused(await tab.refused("send_llm_prompt", prompt), "EXECUTION_FAILED", /malformed completion: not json/);
  server.manners = { request: (_, response) => response.end('{"choices":[]}') };
  assertRefused(await tab.refused("send_llm_prompt", prompt), "EXECUTION_FAILED", /malformed completion/);
  server.manners = { request: (_, response) => response.destroy() };
  assertRefused(
    await tab.refused("send_llm_prompt", prompt),
    "BACKEND_UNAVAILABLE",
    /^Failed to connect to LM Studio: /,
  );
});

test("heartbeats and reports of an agent are shown in its window", async () => {
  let beat: (more: object) => void = () => undefined;
  server.manners = {
    message(message, socket) {
      beat = (more) => socket.send(JSON.stringify({ type: "agent_event", agentId: "watcher", ...more }));
      if (message.action === "spawn")
        reply({ success: true, agentId: "watcher", status: "running", heartbeatInterval: 2 })(message, socket);
      else reply({ success: true, agentId: "watcher", status: "paused" })(message, socket);
    },
  };
  await tab.call("spawn_area_agent", AGENT);
  const request = await server.receive(({ action }) => action === "spawn");
  assert.equal(request.session, tab.session, "the agent is told through which page it sees");
  beat({ event: "heartbeat", status: "running" });
  beat({ event: "heartbeat", status: "running" });
  beat({ event: "report", report: { kind: "measures", entropy: 3.5, histogram: [1, 2, 3] } });
  await tab.cached<{ agentId: string; heartbeats: number; report: unknown }[]>("agents", (agents) =>
    agents.some(({ agentId, heartbeats, report }) => agentId === "watcher" && heartbeats === 2 && report !== null),
  );
  await tab.page.setViewportSize({ width: 1100, height: 760 });
  await tab.page.getByRole("button", { name: "Agents", exact: true }).click();
  const card = tab.page.locator('[data-agent="watcher"]');
  await card.getByText("2 heartbeats").waitFor();
  assert.match((await card.textContent()) ?? "", /kindmeasuresentropy3\.5/);
  await card.getByRole("button", { name: "Pause" }).click();
  await card.locator('[data-status="paused"]').waitFor();
  assert.equal((await server.receive(({ action }) => action === "pause")).agentId, "watcher");
});

test("a silent backend ends with its own timeout: 60 s, 10 s, 30 s, and 5 s to connect", async () => {
  // The clock runs only in the page.
  const page = await stage.context.newPage();
  await page.clock.install();
  await page.goto(`${stage.home.url}/apps/geometry/?sessionId=slow&backends=${encodeURIComponent(server.url)}`);
  await page.waitForFunction(() => "invokeWebMCPTool" in globalThis);
  const begin = (tool: string, args: object) =>
    page.evaluate(
      ([name, given]) => {
        const slot = globalThis as unknown as {
          ended: unknown;
          invokeWebMCPTool(name: string, args: object): Promise<unknown>;
        };
        slot.ended = undefined;
        void slot.invokeWebMCPTool(name, given).then((reply) => (slot.ended = reply));
      },
      [tool, args] as const,
    );
  const ended = () => page.evaluate(() => (globalThis as unknown as { ended: Reply | undefined }).ended);
  const late = async (tool: string, args: object, ms: number, received: () => Promise<unknown>): Promise<Reply> => {
    await begin(tool, args);
    await received();
    await page.clock.fastForward(ms - 500);
    assert.equal(await ended(), undefined, `${tool} waits for ${String(ms)} ms`);
    await page.clock.fastForward(600);
    return until(`${tool} has ended`, async () => (await ended()) ?? undefined);
  };
  assertRefused(
    await late("trigger_evolution", SHADER, 60_000, () => server.receive(({ action }) => action === "evolve")),
    "EXECUTION_FAILED",
    /^Evolution execution timeout \(60s\)$/,
  );
  await server.receive(({ action }) => action === "cancel");
  assertRefused(
    await late("spawn_area_agent", AGENT, 10_000, () => server.receive(({ action }) => action === "spawn")),
    "EXECUTION_FAILED",
    /^Agent spawn timeout \(10s\)$/,
  );
  server.manners = { request: () => undefined };
  assertRefused(
    await late("send_llm_prompt", { prompt: "x" }, 30_000, () => server.receive(({ body }) => body !== undefined)),
    "EXECUTION_FAILED",
    /^LM Studio request timeout \(30s\)$/,
  );
  server.manners = { accepts: false };
  const knocked = new Promise<void>((resolve) => page.once("websocket", () => resolve()));
  assertRefused(
    await late("trigger_evolution", SHADER, 5_000, () => knocked),
    "BACKEND_UNAVAILABLE",
    /^Evolution backend connection timeout/,
  );
  await page.close();
});
