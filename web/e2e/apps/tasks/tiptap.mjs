// TipTap (ProseMirror): input rules turn what is typed into headings and lists.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

const text = (value) => ({ type: "paragraph", content: [{ type: "text", text: value }] });

export default {
  light: true,
  page: "tiptap.html",
  ready: ".tiptap",
  wish: "Replace the draft by a heading “Monday” and a list of tea and cake.",
  async eye(agent) {
    const editor = ref(await agent.run("look"), "Minutes");
    await agent.run(`press Control+a ${editor}`, `type ${editor} '# Monday\n- Tea\nCake'`);
  },
  async peer(agent) {
    const editor = peerRef(await agent.run("snapshot -i"), "Minutes", "textbox");
    const lines = ["# Monday", "- Tea", "Cake"].flatMap((line) => ["press Enter", `keyboard type '${line}'`]).slice(1);
    await agent.run(`click ${editor}`, "press Control+a", ...lines);
  },
  check(state) {
    const [heading, list] = state.content;
    assert.deepEqual(heading, { type: "heading", attrs: { level: 1 }, content: [{ type: "text", text: "Monday" }] });
    assert.equal(list.type, "bulletList");
    assert.deepEqual(
      list.content.map(({ content }) => content[0]),
      [text("Tea"), text("Cake")],
    );
  },
};
