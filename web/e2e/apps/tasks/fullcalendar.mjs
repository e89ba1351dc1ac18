// FullCalendar: a month that is turned, an event that is dragged to another day, a day that is clicked.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

const day = (date) => `[data-date="2026-04-${date}"]`;

export default {
  page: "fullcalendar.html",
  ready: ".fc-event",
  wish: "In April move the release to the 21st, and hold the 2nd.",
  async eye(agent) {
    const march = await agent.run("look");
    const april = await agent.run(`click ${ref(march, "Next month")}`);
    await agent.run(`drag ${ref(april, "Release")} 'css=${day(21)}'`, `click 'css=${day("02")}'`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    await agent.run(`click ${peerRef(seen, /[Nn]ext/)}`, "snapshot -i");
    await agent.run(`drag .fc-event '${day(21)}'`, `click '${day("02")}'`, "snapshot -i");
  },
  check({ month, events }) {
    assert.equal(month, 4);
    assert.deepEqual(events, { "Stand-up": "2026-03-10", Release: "2026-04-21", "Hold 04-02": "2026-04-02" });
  },
};
