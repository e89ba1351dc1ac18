// MUI: a select that is a list in a portal, an autocomplete, a slider and a rating drawn over their inputs.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "mui.html",
  ready: "h1",
  wish: "Send Acme in Iceland an invoice in USD with 25 % discount, four stars, paid.",
  async eye(agent) {
    const seen = await agent.run("look");
    const currencies = await agent.run(`fill ${ref(seen, "Client")} Acme`, `click ${ref(seen, "Currency")}`);
    const countries = await agent.run(`click ${ref(currencies, "USD")}`, `fill ${ref(seen, "Country")} Ice`);
    const [discount, stars, paid] = [ref(seen, "Discount"), ref(seen, "4 Stars"), ref(seen, "Paid")];
    await agent.run(
      `click ${ref(countries, "Iceland")}`,
      `fill ${discount} 25`,
      `check ${stars}`,
      `check ${paid}`,
      `click ${ref(seen, "Send invoice")}`,
    );
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const currencies = await agent.run(
      `fill ${peerRef(seen, "Client")} Acme`,
      `click ${peerRef(seen, "Currency")}`,
      "snapshot -i",
    );
    const country = "find role combobox fill Ice --name Country";
    const countries = await agent.run(`click ${peerRef(currencies, "USD")}`, country, "snapshot -i");
    const after = await agent.run(`click ${peerRef(countries, "Iceland")}`, "snapshot -i");
    await agent.run(
      `focus ${peerRef(after, "Discount")}`,
      ...Array(3).fill("press ArrowRight"),
      `check ${peerRef(after, "4 Stars")}`,
      `click ${peerRef(after, "Paid")}`,
      `click ${peerRef(after, /Send invoice/i)}`,
    );
  },
  check(state) {
    assert.deepEqual(state, {
      client: "Acme",
      currency: "USD",
      country: "Iceland",
      discount: 25,
      stars: 4,
      paid: true,
    });
  },
};
