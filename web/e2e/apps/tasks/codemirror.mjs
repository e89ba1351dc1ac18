// CodeMirror 6: contenteditable with its own selection, brackets that close themselves, a panel for searching.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  light: true,
  page: "codemirror.html",
  ready: ".cm-content",
  wish: "Say “Good day, ” instead of “Hello, ”, and call greet('Ada') in a line at the end.",
  async eye(agent) {
    const seen = await agent.run("look");
    const editor = ref(seen, "Program");
    const panel = await agent.run(`press Control+f ${editor}`);
    const replace = ref(panel, "Replace");
    await agent.run(
      `fill ${ref(panel, "Find")}=Hello ${replace}='Good day' --click ${ref(panel, "replace all")}`,
      "press Escape",
    );
    await agent.run(`press Control+End ${editor}`, `type ${editor} "greet('Ada"`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const editor = peerRef(seen, "Program");
    const panel = await agent.run(`click ${editor}`, "press Control+f", "snapshot -i");
    await agent.run(
      `fill ${peerRef(panel, "Find")} Hello`,
      `fill ${peerRef(panel, "Replace", "textbox")} 'Good day'`,
      `click ${peerRef(panel, "replace all")}`,
      "press Escape",
    );
    await agent.run(`focus ${editor}`, "press Control+End", `keyboard type "greet('Ada"`);
  },
  check({ text }) {
    assert.equal(text, "function greet(name) {\n  return 'Good day, ' + name;\n}\ngreet('Ada')");
  },
};
