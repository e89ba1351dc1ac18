// Headless UI: a listbox and a combobox whose lists are portals, a switch and radio buttons that their labels name.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  light: true,
  page: "headless.html",
  ready: "h1",
  wish: "Give the ticket to Therese Wunsch in Ljubljana; it is urgent, plan Business.",
  async eye(agent) {
    const seen = await agent.run("look");
    const people = await agent.run(`click ${ref(seen, "Assignee")}`);
    const cities = await agent.run(`click ${ref(people, "Therese Wunsch")}`, `fill ${ref(seen, "City")} Lj`);
    const [urgent, plan] = [ref(seen, "Urgent"), ref(seen, "Business")];
    await agent.run(`click ${ref(cities, "Ljubljana")}`, `check ${urgent}`, `check ${plan}`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const people = await agent.run(`click ${peerRef(seen, /button "Assignee/)}`, "wait 300", "snapshot -i");
    const city = "find role combobox fill Lj --name City";
    const cities = await agent.run(`click ${peerRef(people, "Therese Wunsch")}`, city, "snapshot -i");
    const after = await agent.run(`click ${peerRef(cities, "Ljubljana")}`, "snapshot -i");
    await agent.run(`click ${peerRef(after, "Urgent", "switch")}`, `click ${peerRef(after, "Business", "radio")}`);
  },
  check(state) {
    assert.deepEqual(state, { person: "Therese Wunsch", city: "Ljubljana", urgent: true, plan: "Business" });
  },
};
