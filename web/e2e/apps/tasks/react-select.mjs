// react-select: menus that open on mousedown, search, values that are removed and made up.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  light: true,
  page: "react-select.html",
  ready: "h1",
  wish: "Order in Forest; chocolate instead of vanilla; tag it “urgent”.",
  async eye(agent) {
    const seen = await agent.run("look");
    const colours = await agent.run(`fill ${ref(seen, "Colour")} For`);
    const flavours = await agent.run(
      `click ${ref(colours, "Forest")}`,
      `click ${ref(seen, "Remove Vanilla")}`,
      `click ${ref(seen, "Flavours")}`,
    );
    await agent.run(`click ${ref(flavours, "Chocolate")}`, `type ${ref(seen, "Tags")} urgent`, "press Enter");
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const colours = await agent.run(`fill ${peerRef(seen, "Colour")} For`, "snapshot -i");
    const flavours = await agent.run(
      `click ${peerRef(colours, "Forest")}`,
      `click '[aria-label="Remove Vanilla"]'`,
      "click '#flavours'",
      "snapshot -i",
    );
    await agent.run(`click ${peerRef(flavours, "Chocolate")}`, "click '#tags'", "keyboard type urgent", "press Enter");
  },
  check(state) {
    assert.deepEqual(state, { colour: "forest", flavours: ["chocolate"], tags: ["urgent"] });
  },
};
