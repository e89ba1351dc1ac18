// Radix: a dialog, a select in a portal, a menu that opens on pointerdown, tabs, a switch and a slider that takes keys.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  light: true,
  page: "radix.html",
  ready: "h1",
  wish: "Rename me to Ada Lovelace, make me an editor, archive the team, and set sound alerts on at volume 50.",
  async eye(agent) {
    const seen = await agent.run("look");
    const dialog = await agent.run(`click ${ref(seen, "Edit profile")}`);
    await agent.run(`fill ${ref(dialog, "Name")}='Ada Lovelace' --click ${ref(dialog, "Save changes")}`);
    const roles = await agent.run(`click ${ref(seen, "Role")}`);
    const menu = await agent.run(`click ${ref(roles, "Editor")}`, `click ${ref(seen, "Actions")}`);
    const sound = await agent.run(`click ${ref(menu, "Archive")}`, `click ${ref(seen, "Sound")}`);
    await agent.run(`click ${ref(sound, "Sound alerts")}`, `press 'ArrowRight ArrowRight' ${ref(sound, "Volume")}`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const dialog = await agent.run(`click ${peerRef(seen, "Edit profile")}`, "snapshot -i");
    const after = await agent.run(
      `fill ${peerRef(dialog, "Name")} 'Ada Lovelace'`,
      `click ${peerRef(dialog, "Save changes")}`,
      "snapshot -i",
    );
    const roles = await agent.run(`click ${peerRef(after, "Role")}`, "snapshot -i");
    const menu = await agent.run(
      `click ${peerRef(roles, "Editor")}`,
      "find role button click --name Actions",
      "snapshot -i",
    );
    const sound = await agent.run(
      `click ${peerRef(menu, "Archive")}`,
      "find role tab click --name Sound",
      "snapshot -i",
    );
    const [alerts, volume] = [peerRef(sound, "Sound alerts", "switch"), peerRef(sound, "Volume")];
    await agent.run(`click ${alerts}`, `focus ${volume}`, "press ArrowRight", "press ArrowRight");
  },
  check(state) {
    assert.deepEqual(state, { name: "Ada Lovelace", role: "Editor", alerts: true, volume: 50, chosen: "Archive" });
  },
};
