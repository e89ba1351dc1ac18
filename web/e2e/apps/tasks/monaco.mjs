// Monaco: text in an EditContext, keys that the editor handles itself.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "monaco.html",
  ready: ".view-line",
  wish: "Put a comment “// Sum of prices” first, and a call done(total); last.",
  async eye(agent) {
    const editor = ref(await agent.run("look"), "Script");
    await agent.run(`press Control+Home ${editor}`, `type ${editor} '// Sum of prices\n'`);
    await agent.run("press Control+End", `type ${editor} 'done(total);'`);
  },
  async peer(agent) {
    const editor = peerRef(await agent.run("snapshot -i"), "Script", "textbox");
    await agent.run(`focus ${editor}`, "press Control+Home", "keyboard type '// Sum of prices'", "press Enter");
    await agent.run("press Control+End", "keyboard type 'done(total);'");
  },
  check({ text }) {
    const before = "const total = prices.reduce((sum, one) => sum + one, 0);\nconsole.log(total);\n";
    assert.equal(text, `// Sum of prices\n${before}done(total);`);
  },
};
