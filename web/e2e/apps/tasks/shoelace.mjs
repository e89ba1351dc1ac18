// Shoelace: web components with shadow roots and slots; a dialog, a select, a checkbox, a switch and a range.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  light: true,
  page: "shoelace.html",
  ready: "sl-button",
  wish: "Book a double room for Ada, four nights, with breakfast, arriving late.",
  async eye(agent) {
    const form = await agent.run("click 'text=New booking'");
    const rooms = await agent.run(`fill ${ref(form, "Guest")} Ada`, `click ${ref(form, "Room")}`);
    const [breakfast, late, nights] = ["Breakfast", "Late arrival", "Nights"].map((name) => ref(form, name));
    await agent.run(
      `click ${ref(rooms, "Double")}`,
      `fill ${breakfast}=true ${late}=true ${nights}=4 --click ${ref(form, "Book")}`,
    );
  },
  async peer(agent) {
    const form = await agent.run("find text 'New booking' click", "snapshot -i");
    const rooms = await agent.run(
      `fill ${peerRef(form, "Guest", "textbox")} Ada`,
      `click ${peerRef(form, "Room", "combobox")}`,
      "snapshot -i",
    );
    const after = await agent.run(`click ${peerRef(rooms, "Double")}`, "wait 500", "snapshot -i");
    const [breakfast, late, nights] = ["Breakfast", "Late arrival", "Nights"].map((name) => peerRef(after, name));
    await agent.run(
      `click ${breakfast}`,
      `click ${late}`,
      `focus ${nights}`,
      ...Array(3).fill("press ArrowRight"),
      `click ${peerRef(after, "Book", "button")}`,
    );
  },
  check(state) {
    assert.deepEqual(state, { guest: "Ada", room: "double", breakfast: "yes", late: "yes", nights: "4" });
  },
};
