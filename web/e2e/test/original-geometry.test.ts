// The original Phase B bridge of Geometry OS, unchanged, on a page of its own origin: tools with a handler at
// `navigator.modelContext`, its messages to `/agents` and `/evolution`, its request to the language model.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";
import { startChromium } from "../../harness/chromium.js";
import { until } from "../../harness/until.js";
import type { Browser } from "playwright-core";

/** As the original does: one socket per request, a reply matched by its id, errors in its own form. */
const BRIDGE = (hub: string): string => `<script>
  const ask = (path, message, msMax) => new Promise((resolve, reject) => {
    const socket = new WebSocket(${JSON.stringify(hub.replace("http", "ws"))} + path);
    const requestId = "agent_" + Date.now() + "_" + Math.random().toString(36).slice(2);
    const timer = setTimeout(() => reject(new Error("timeout")), msMax);
    socket.onopen = () => socket.send(JSON.stringify({ requestId, ...message }));
    socket.onerror = () => reject(new Error("Agent backend not running"));
    socket.onmessage = ({ data }) => {
      const reply = JSON.parse(data);
      if (reply.requestId !== requestId || reply.success === undefined) return;
      clearTimeout(timer);
      socket.close();
      resolve(reply);
    };
  });
  const failure = (error) => ({ success: false, error: error.message, error_code: "BACKEND_UNAVAILABLE" });
  const register = (name, run) => navigator.modelContext.registerTool({
    name, description: name, inputSchema: { type: "object" },
    handler: async (params) => { try { return await run(params); } catch (error) { return failure(error); } },
  });
  register("spawn_area_agent", ({ agent_type, region, config = {}, auto_start = true }) =>
    ask("/agents", { action: "spawn", agent_type, region, config, auto_start }, 10000));
  register("trigger_evolution", ({ seed_shader, generations = 10 }) =>
    ask("/evolution", { action: "evolve", seed_shader, generations, population_size: 6, mutation_rate: 0.1 }, 60000));
  register("send_llm_prompt", async ({ prompt, model = "local" }) => {
    const response = await fetch(${JSON.stringify(hub)} + "/v1/chat/completions", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }], temperature: 0.7, max_tokens: 2048 }),
    });
    if (!response.ok) throw new Error("LM Studio returned HTTP " + response.status);
    const { choices } = await response.json();
    return { success: true, response: choices[0].message.content };
  });
</script>`;

const SHADER = `@fragment
fn main(@location(0) uv: vec2f) -> @location(0) vec4f { return vec4f(uv.x, uv.y, 0.5, 1.0); }`;

let home: Home;
let site: Site;
let browser: Browser;
let llm: Server;

before(async () => {
  llm = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message: { content: "hello" } }] }));
  });
  await new Promise<void>((resolve) => llm.listen(0, "127.0.0.1", resolve));
  home = await Home.open();
  await home.up("--llm", `http://127.0.0.1:${String((llm.address() as AddressInfo).port)}`);
  site = await Site.open(home.url);
  site.page("/os.html", { title: "Geometry OS", tag: 'data-webmcp data-alias="os"', body: BRIDGE(home.url) });
  browser = await startChromium();
});

after(async () => {
  await browser.close();
  await site.close();
  await home.close();
  llm.close();
});

async function call(tool: string, args: object): Promise<Readonly<Record<string, unknown>>> {
  const { stdout, stderr } = await home.eye("--page", "os", "call", tool, JSON.stringify(args));
  assert.equal(stderr, "");
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

const AGENT = { agent_type: "monitor", region: { x: 2, y: 3, width: 4, height: 5 }, auto_start: false };

test("the backends are closed to it until the user grants them, and open without a restart of anything", async (t) => {
  const page = await (await browser.newContext()).newPage();
  t.after(() => page.close());
  await page.goto(site.url("/os.html"));
  await until(
    "the bridge's tools are there",
    async () => (await home.eye("--page", "os", "tools")).stdout.includes("send_llm_prompt") || undefined,
  );
  const other = await (await browser.newContext()).newPage();
  t.after(() => other.close());
  await other.goto(`${home.url}/apps/desktop/`);

  assert.equal((await call("spawn_area_agent", AGENT)).error_code, "BACKEND_UNAVAILABLE");
  assert.equal((await call("send_llm_prompt", { prompt: "hi" })).error_code, "BACKEND_UNAVAILABLE");
  const { origin } = new URL(site.url("/"));
  const { stdout } = await home.eye("allow", origin, "--backends");
  assert.equal(stdout, `allowed ${origin} with backends\n`);

  const { id } = (await home.pages()).find(({ alias }) => alias === "os") ?? { id: "" };
  const spawned = await call("spawn_area_agent", AGENT);
  assert.deepEqual([spawned.success, spawned.status], [true, "spawned"], JSON.stringify(spawned));
  assert.equal(spawned.session, id, "of two pages, the agent is for the one of its origin");
  assert.deepEqual(spawned.region, { x: 200, y: 300, width: 400, height: 500, unit: "pixels" }, "grid units");
  const evolved = await call("trigger_evolution", { seed_shader: SHADER, generations: 1 });
  assert.deepEqual([evolved.success, evolved.generationsCompleted], [true, 1], JSON.stringify(evolved));
  assert.deepEqual(await call("send_llm_prompt", { prompt: "hi" }), { success: true, response: "hello" });
});
