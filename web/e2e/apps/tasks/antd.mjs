// Ant Design: a form with rules, a select and a date picker with popups, a number with its own steps, a modal at the
// end.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "antd.html",
  ready: "h1",
  wish: "Order three medium cherries for Ada, to be delivered on 2026-12-24.",
  async eye(agent) {
    const seen = await agent.run("look");
    const fruits = await agent.run(`fill ${ref(seen, "Name")} Ada`, `click ${ref(seen, "Fruit")}`);
    const [date, size, count] = [ref(seen, "Delivery"), ref(seen, "Medium"), ref(seen, "Count")];
    await agent.run(`click ${ref(fruits, "Cherry")}`, `fill ${date} 2026-12-24`, "press Tab");
    const dialog = await agent.run(`check ${size}`, `fill ${count}=3 --click ${ref(seen, "Order")}`);
    await agent.run(`click ${ref(dialog, "OK")}`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const fruits = await agent.run(
      `fill ${peerRef(seen, "* Name")} Ada`,
      `click ${peerRef(seen, "* Fruit")}`,
      "wait 500",
      "snapshot -i",
    );
    const date = peerRef(seen, "* Delivery");
    await agent.run(`click ${peerRef(fruits, "Cherry")}`, `fill ${date} 2026-12-24`, "press Tab");
    const dialog = await agent.run(
      `check ${peerRef(seen, "Medium", "radio")}`,
      `fill ${peerRef(seen, "Count")} 3`,
      `click ${peerRef(seen, "Order", "button")}`,
      "snapshot -i",
    );
    await agent.run(`click ${peerRef(dialog, "OK")}`);
  },
  check(state) {
    assert.deepEqual(state, { name: "Ada", fruit: "Cherry", date: "2026-12-24", size: "medium", count: 3 });
  },
};
