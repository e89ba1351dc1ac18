// dnd-kit: sorting by pointer, which needs moves between press and release, and by keys.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  light: true,
  page: "dnd-kit.html",
  ready: "h1",
  wish: "Move Plan to where Test is, then Ship one place up, with keys.",
  async eye(agent) {
    const seen = await agent.run("look");
    await agent.run(`drag ${ref(seen, "Plan")} ${ref(seen, "Test")}`);
    await agent.run(`press Space ${ref(seen, "Ship")}`, "press ArrowUp", "press Space", "look");
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    await agent.run(`drag ${peerRef(seen, "Plan")} ${peerRef(seen, "Test")}`, "snapshot -i");
    await agent.run(
      `focus ${peerRef(seen, "Ship")}`,
      "press Space",
      "wait 300",
      "press ArrowUp",
      "wait 300",
      "press Space",
      "snapshot -i",
    );
  },
  check(state) {
    assert.deepEqual(state, ["Write", "Test", "Plan", "Ship", "Review"]);
  },
};
