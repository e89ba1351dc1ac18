// Gradio: a form whose button runs a function on the server; a dropdown with search, a slider with a number beside it.

import assert from "node:assert/strict";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { peerRef, ref } from "../lib/agent.mjs";
import { freePort, startPython } from "../lib/server.mjs";

const app = join(import.meta.dirname, "../python/gradio_app.py");

export default {
  python: true,
  // Gradio draws its components in several steps; the button is the last one.
  ready: "#rewrite",
  wish: "Rewrite “good morning” in a friendly, formal tone of length 5.",
  async serve({ python, folder }) {
    await mkdir(folder, { recursive: true });
    const port = await freePort();
    const file = join(folder, "state.json");
    const env = { CORPUS_STATE: file, CORPUS_PORT: String(port), HOME: folder, GRADIO_ANALYTICS_ENABLED: "False" };
    const server = await startPython(python, [app], { cwd: folder, env, port });
    return {
      ...server,
      reset: () => rm(file, { force: true }),
      state: async () => JSON.parse(await readFile(file, "utf8")),
    };
  },
  async eye(agent) {
    const seen = await agent.run("look");
    const tones = await agent.run(`fill ${ref(seen, "Text")} 'good morning'`, `click ${ref(seen, "Tone")}`);
    await agent.run(
      `click ${ref(tones, "Friendly")}`,
      `fill ${ref(seen, /Length.*: 3/)} 5`,
      `check ${ref(seen, "Formal")}`,
    );
    await agent.run(`click ${ref(seen, "Rewrite")}`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const tones = await agent.run(
      `fill ${peerRef(seen, "Text", "textbox")} 'good morning'`,
      `click ${peerRef(seen, "Tone")}`,
      "snapshot -i",
    );
    const after = await agent.run(`click ${peerRef(tones, "Friendly")}`, "snapshot -i");
    await agent.run(`fill ${peerRef(after, /spinbutton/)} 5`, `check ${peerRef(after, "Formal")}`);
    await agent.run("find role button click --name Rewrite", "wait 1000", "snapshot -i");
  },
  check(state) {
    assert.deepEqual(state, { text: "good morning", tone: "Friendly", length: 5, formal: true });
  },
};
