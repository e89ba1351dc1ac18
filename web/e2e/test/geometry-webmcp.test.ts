// The geometry app's tools through WebMCP, as a browser's own agent calls them: natively, and through the polyfill if
// the browser has no WebMCP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { GeometryTab, type Reply } from "../stage/geometry.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const NAMES = [
  "control_area_agent",
  "execute_pixel_program",
  "get_area_agent",
  "get_os_state",
  "list_area_agents",
  "load_rts_cartridge",
  "navigate_map",
  "query_hilbert_address",
  "send_llm_prompt",
  "spawn_area_agent",
  "trigger_evolution",
];

interface Listed {
  readonly name: string;
  readonly description: string;
}

type PageDocument = Document & {
  readonly modelContext: {
    getTools(): Promise<readonly Listed[]>;
    executeTool(tool: Listed, input: object): Promise<string>;
  };
};

async function listed(tab: GeometryTab): Promise<readonly string[]> {
  return tab.page.evaluate(async () =>
    (await (document as PageDocument).modelContext.getTools()).map(({ name }) => name).sort(),
  );
}

async function execute(tab: GeometryTab, tool: string, input: object): Promise<Reply> {
  const text = await tab.page.evaluate(
    async ([name, args]) => {
      const { modelContext } = document as PageDocument;
      const found = (await modelContext.getTools()).find((one) => one.name === name);
      if (found === undefined) throw new Error(`no ${name}`);
      return modelContext.executeTool(found, args);
    },
    [tool, input] as const,
  );
  return JSON.parse(text) as Reply;
}

for (const [kind, flags] of [
  ["the browser's own WebMCP", ["--enable-features=WebMCP"]],
  ["the client's polyfill", []],
] as const) {
  test(`${kind} has all tools, which answer values and say their errors`, async () => {
    const stage = await Stage.open(...flags);
    try {
      const tab = await GeometryTab.open(stage, "webmcp", "&mock_backends=true");
      const isNative = await tab.page.evaluate(() =>
        String((globalThis as { ModelContext?: unknown }).ModelContext).includes("[native code]"),
      );
      assert.equal(isNative, flags.length > 0);
      await until("all tools are registered", async () =>
        (await listed(tab)).length === NAMES.length ? true : undefined,
      );
      assert.deepEqual(await listed(tab), NAMES);
      const went = await execute(tab, "navigate_map", { x: 5, y: 6, zoom: 2 });
      assert.deepEqual(went.camera, { x: 500, y: 600, zoom: 2 });
      await tab.cached<{ x: number }>("camera", ({ x }) => x === 500);
      assert.deepEqual((await execute(tab, "query_hilbert_address", { hilbert_index: 2 })).coordinates, {
        x: 1,
        y: 1,
      });
      // The browser validates nothing and loses a tool's exception; the tool returns this as its answer.
      const refused = await execute(tab, "query_hilbert_address", { hilbert_index: -1 });
      assert.deepEqual(
        [refused.success, refused.error, refused.error_code, refused.tool],
        [false, "hilbert_index must be non-negative", "INVALID_INPUT", "query_hilbert_address"],
      );
      assert.equal((await execute(tab, "trigger_evolution", { seed_shader: "x", generations: 2 })).mock, true);
      const status = await tab.page.evaluate(() =>
        (globalThis as unknown as { webmcpBridge: { getStatus(): Reply } }).webmcpBridge.getStatus(),
      );
      assert.deepEqual([status.available, status.registered, status.totalCalls], [true, true, 4]);
      const tools = JSON.parse((await tab.eye("tools", "--json")).stdout) as { name: string }[];
      assert.deepEqual(tools.map(({ name }) => name).sort(), NAMES, "the hub has each once");
    } finally {
      await stage.close();
    }
  });
}
