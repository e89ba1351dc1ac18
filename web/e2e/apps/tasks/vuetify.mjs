// Vuetify: fields whose menus are overlays, a slider without an input that shows, a dialog at the end.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "vuetify.html",
  ready: "h1",
  wish: "Plan a trip for Ada: by train to Bergen, insured, seven days.",
  async eye(agent) {
    const seen = await agent.run("look");
    const city = ref(seen, /^City:/);
    const ways = await agent.run(`fill ${ref(seen, "Traveller")} Ada`, `click ${ref(seen, "Travel by")}`);
    const cities = await agent.run(`click ${ref(ways, "Train")}`, `click ${city}`, `type ${city} Berg`);
    const [insured, days] = [ref(seen, "Insurance"), ref(seen, "Days")];
    const last = [`check ${insured}`, `fill ${days} 7`, `click ${ref(seen, /Plan trip/i)}`];
    const dialog = await agent.run(`click ${ref(cities, "Bergen")}`, ...last);
    await agent.run(`click ${ref(dialog, "Confirm")}`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const ways = await agent.run(
      `fill ${peerRef(seen, "Traveller")} Ada`,
      `click ${peerRef(seen, "Travel by")}`,
      "wait 500",
      "snapshot -i",
    );
    const city = peerRef(seen, "City");
    const cities = await agent.run(
      `click ${peerRef(ways, "Train")}`,
      `click ${city}`,
      "keyboard type Berg",
      "wait 500",
      "snapshot -i",
    );
    const after = await agent.run(`click ${peerRef(cities, "Bergen")}`, "wait 500", "snapshot -i");
    const dialog = await agent.run(
      `check ${peerRef(after, "Insurance")}`,
      `focus ${peerRef(after, /slider/)}`,
      ...Array(4).fill("press ArrowRight"),
      `click ${peerRef(after, /Plan trip/i)}`,
      "wait 500",
      "snapshot -i",
    );
    await agent.run(`click ${peerRef(dialog, /Confirm/i)}`);
  },
  check(state) {
    assert.deepEqual(state, { name: "Ada", travel: "Train", city: "Bergen", insured: true, days: 7 });
  },
};
