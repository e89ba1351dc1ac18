// Lexical: takes text by beforeinput alone, and reads the selection in a task of its own.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

export default {
  page: "lexical.html",
  ready: "[contenteditable]",
  wish: "Write “Tuesday”, and below it a list of tea and cake.",
  async eye(agent) {
    const seen = await agent.run("look");
    const entry = ref(seen, "Entry");
    await agent.run(`type ${entry} 'Tuesday\n'`, `click ${ref(seen, "List")}`, `type ${entry} 'Tea\nCake'`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const list = peerRef(seen, "List", "button");
    await agent.run(
      `click ${peerRef(seen, "Entry")}`,
      "keyboard type Tuesday",
      "press Enter",
      `click ${list}`,
      "keyboard type Tea",
      "press Enter",
      "keyboard type Cake",
    );
  },
  check({ children }) {
    const text = ({ children: inner }) => inner.map(({ text: one }) => one).join("");
    assert.deepEqual(
      children.map(({ type }) => type),
      ["paragraph", "list"],
    );
    assert.equal(text(children[0]), "Tuesday");
    assert.deepEqual(children[1].children.map(text), ["Tea", "Cake"]);
  },
};
