// Excalidraw: everything happens on a canvas; a text begins with a click that has a duration.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

const CANVAS = "canvas.interactive";

export default {
  page: "excalidraw.html",
  ready: CANVAS,
  wish: "Draw a rectangle, and write “Hello” somewhere.",
  async eye(agent) {
    const seen = await agent.run("look");
    const [box, text] = [ref(seen, "Rectangle"), ref(seen, "Text")];
    await agent.run(`check ${box}`, `drag '${CANVAS}' 700,600`, "press Escape");
    await agent.run(`check ${text}`, `click '${CANVAS}'`, "type css=textarea.excalidraw-wysiwyg Hello", "press Escape");
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const [box, text] = [peerRef(seen, "Rectangle"), peerRef(seen, "Text")];
    const drawn = ["mouse move 450 350", "mouse down", "mouse move 550 450", "mouse move 700 600", "mouse up"];
    await agent.run(`click ${box}`, ...drawn, "press Escape");
    await agent.run(
      `click ${text}`,
      "mouse move 300 300",
      "mouse down",
      "mouse up",
      "keyboard type Hello",
      "press Escape",
    );
  },
  check(state) {
    assert.ok(state.some(({ type, width }) => type === "rectangle" && width > 50));
    assert.ok(state.some(({ type, text }) => type === "text" && text === "Hello"));
  },
};
