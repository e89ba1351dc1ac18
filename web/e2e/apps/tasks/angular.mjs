// Angular Material: a select and a menu in overlays, a checkbox drawn over its input, a slider of two layers.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "angular.html",
  ready: "h1",
  wish: "Save a profile: Ada, Portuguese, with the newsletter, text size 20, dark.",
  async eye(agent) {
    const seen = await agent.run("look");
    const languages = await agent.run(`fill ${ref(seen, "Name")} Ada`, `click ${ref(seen, "Language")}`);
    const themes = await agent.run(
      `click ${ref(languages, "Portuguese")}`,
      `check ${ref(seen, "Newsletter")}`,
      `fill ${ref(seen, "Text size")} 20`,
      `click ${ref(seen, "Theme")}`,
    );
    await agent.run(`click ${ref(themes, "Dark")}`, `click ${ref(seen, "Save")}`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const language = peerRef(seen, /Language|English/);
    const languages = await agent.run(`fill ${peerRef(seen, "Name")} Ada`, `click ${language}`, "snapshot -i");
    const after = await agent.run(`click ${peerRef(languages, "Portuguese")}`, "wait 500", "snapshot -i");
    const themes = await agent.run(
      `check ${peerRef(after, "Newsletter")}`,
      `focus ${peerRef(after, "Text size")}`,
      ...Array(4).fill("press ArrowRight"),
      `click ${peerRef(after, "Theme")}`,
      "snapshot -i",
    );
    await agent.run(`click ${peerRef(themes, "Dark")}`, "wait 1500", "find role button click --name Save");
  },
  check(state) {
    assert.deepEqual(state, { name: "Ada", language: "pt", news: true, size: 20, theme: "dark" });
  },
};
