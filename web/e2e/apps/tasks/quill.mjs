// Quill: a toolbar that acts on the selection, text that is filled, keys that make a list.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  light: true,
  page: "quill.html",
  ready: ".ql-editor",
  wish: "Write “Dear Ada” in bold, and below it a list with “Bring tea”, not bold.",
  async eye(agent) {
    const seen = await agent.run("look");
    const [editor, bold, list] = ["Letter", "bold", "list: bullet"].map((name) => ref(seen, name));
    await agent.run(`fill ${editor} 'Dear Ada'`, `press Control+a ${editor}`, `click ${bold}`);
    await agent.run(`press 'End Enter' ${editor}`, `click ${list}`, `type ${editor} 'Bring tea'`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const [editor, bold] = [peerRef(seen, /"Letter".*editable/), peerRef(seen, "bold")];
    const list = peerRef(seen, "list: bullet");
    await agent.run(`fill ${editor} 'Dear Ada'`, "press Control+a", `click ${bold}`);
    await agent.run("press End", "press Enter", `click ${list}`, "keyboard type 'Bring tea'");
  },
  check(state) {
    assert.deepEqual(state, [
      { attributes: { bold: true }, insert: "Dear Ada" },
      { insert: "\nBring tea" },
      { attributes: { list: "bullet" }, insert: "\n" },
    ]);
  },
};
