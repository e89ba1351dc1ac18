// `navigator.modelContext` of pages from Chrome 146 to 151, in a real browser against a scripted hub: beside the
// browser's own `document.modelContext`, and beside the polyfill.

import assert from "node:assert/strict";
import { after } from "node:test";
import { call, lacks, offers, Stage, type Kind } from "./webmcp-stage.js";

const stage = new Stage();
after(() => stage.close());

const EYE = '<script src="/eye.js" data-webmcp></script>';
/** Registers like the original geometry bridge: a handler, then the draft's `execute(params, agent)`. */
const TOOLS = `<script>
  const { modelContext } = navigator;
  modelContext.registerTool({
    name: "query", description: "Doubles an index.",
    inputSchema: { type: "object", properties: { index: { type: "number" } }, required: ["index"] },
    handler: async ({ index }) => ({ success: true, index: 2 * index }),
  });
  modelContext.registerTool({
    name: "boot", description: "Asks the person first.",
    execute: async (params, agent) => ({ asked: await agent.requestUserInteraction(async () => "yes"), params }),
  });
  modelContext.registerTool({ name: "gone", description: "Is taken back.", handler: () => 1 });
  modelContext.provideContext({ name: "Geometry OS", description: "x", context: {} });
  addEventListener("message", () => modelContext.unregisterTool("gone"));
</script>`;

for (const kind of ["native", "none"] satisfies readonly Kind[]) {
  stage.scene("a tool with a handler is offered and called", kind, EYE + TOOLS, async ({ page, tab }) => {
    const { inputSchema } = (await offers(page, "query")) as { inputSchema: object };
    assert.deepEqual(inputSchema, {
      type: "object",
      properties: { index: { type: "number" } },
      required: ["index"],
    });
    assert.deepEqual((await call(page, "query", { index: 21 })).result, { success: true, index: 42 });
    const listed = await tab.evaluate(async () => {
      const { modelContext } = document as unknown as { modelContext: { getTools(): Promise<{ name: string }[]> } };
      return (await modelContext.getTools()).map(({ name }) => name).sort();
    });
    assert.deepEqual(listed, ["boot", "gone", "query"], "all of it is in document.modelContext");
  });

  stage.scene("an execute may ask the person, as it could then", kind, EYE + TOOLS, async ({ page }) => {
    await offers(page, "boot");
    assert.deepEqual((await call(page, "boot", { a: 1 })).result, { asked: "yes", params: { a: 1 } });
  });

  stage.scene("a tool is taken back by its name", kind, EYE + TOOLS, async ({ page, tab }) => {
    await offers(page, "gone");
    await tab.evaluate(() => postMessage("now"));
    await lacks(page, "gone");
  });
}
