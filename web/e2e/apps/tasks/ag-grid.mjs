// AG Grid: a floating filter, a cell that is edited, a row that is chosen; rows are virtual.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "ag-grid.html",
  ready: ".ag-row",
  wish: "Show the Volvos only, set the price of Model 4 to 12345, and select Model 9.",
  async eye(agent) {
    const seen = await agent.run("look");
    const cell = "css=[row-id='3'] [col-id=price]";
    await agent.run(`fill ${ref(seen, /[Mm]ake.*[Ff]ilter.*Input/)} Volvo`, "wait 'text=Model 94'");
    await agent.run(`click "${cell}"`, `press Enter "${cell}"`, `fill "${cell} input" 12345`, "press Enter");
    await agent.run(`click "css=[row-id='8'] input[type=checkbox]"`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const cell = "[row-id='3'] [col-id=price]";
    const filter = peerRef(seen, /[Mm]ake.*[Ff]ilter.*Input/);
    await agent.run(`click ${filter}`, "keyboard type Volvo", "wait 1000", "snapshot -i");
    await agent.run(`dblclick "${cell}"`, `fill "${cell} input" 12345`, "press Enter");
    await agent.run(`click "[row-id='8'] input[type=checkbox]"`);
  },
  check({ shown, selected, prices }) {
    assert.deepEqual({ shown, selected, prices }, { shown: 20, selected: ["Model 9"], prices: { "Model 4": 12_345 } });
  },
};
