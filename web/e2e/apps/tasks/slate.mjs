// Slate: keeps a document of its own, and takes text by beforeinput where the browser's selection is.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "slate.html",
  ready: "[data-slate-editor]",
  wish: "Replace what is written by “Budget”, and below it “agreed” in bold.",
  async eye(agent) {
    const seen = await agent.run("look");
    const text = ref(seen, "Minutes");
    await agent.run(`fill ${text} 'Budget\n'`, `click ${ref(seen, "Bold")}`, `type ${text} agreed`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    await agent.run(
      `click ${peerRef(seen, "Minutes", "textbox")}`,
      "press Control+a",
      "keyboard type Budget",
      "press Enter",
      `click ${peerRef(seen, "Bold", "button")}`,
      "keyboard type agreed",
    );
  },
  check(blocks) {
    assert.deepEqual(
      blocks.map(({ children }) => children),
      [[{ text: "Budget" }], [{ text: "agreed", bold: true }]],
    );
  },
};
