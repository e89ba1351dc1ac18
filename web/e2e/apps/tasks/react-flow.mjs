// React Flow: nodes are dragged, joined by their handles, chosen and deleted.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

const handle = (id, kind) => `[data-nodeid=${id}].${kind}`;

export default {
  page: "react-flow.html",
  ready: ".react-flow__node",
  wish: "Connect Fetch to Train, delete Old, and move Clean elsewhere.",
  async eye(agent) {
    const seen = await agent.run("look");
    await agent.run(`drag 'css=${handle("fetch", "source")}' 'css=${handle("train", "target")}'`);
    await agent.run(`click ${ref(seen, "Old")}`, "press Delete", `drag ${ref(seen, "Clean")} 600,400`, "look");
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    await agent.run(`drag '${handle("fetch", "source")}' '${handle("train", "target")}'`);
    await agent.run(`click ${peerRef(seen, /Old/)}`, "press Delete", "snapshot -i");
    await agent.run(`drag ${peerRef(seen, /Clean/)} ${handle("train", "source")}`, "snapshot -i");
  },
  check({ places, edges }) {
    assert.deepEqual(Object.keys(places), ["fetch", "clean", "train"]);
    assert.deepEqual(edges, ["fetch-train"]);
    assert.notDeepEqual(places.clean, [380, 40]);
  },
};
