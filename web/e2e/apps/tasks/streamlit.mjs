// Streamlit: every change goes to the server and back; a list with search, a slider without an input.

import assert from "node:assert/strict";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { peerRef, ref } from "../lib/agent.mjs";
import { freePort, startPython } from "../lib/server.mjs";

const app = join(import.meta.dirname, "../python/streamlit_app.py");

export default {
  python: true,
  ready: "[data-testid=stButton] button",
  wish: "Reserve Quito for Ada, six people, with coffee.",
  async serve({ python, folder }) {
    await mkdir(folder, { recursive: true });
    const port = await freePort();
    const file = join(folder, "state.json");
    const flags = ["--server.headless=true", `--server.port=${port}`, "--browser.gatherUsageStats=false"];
    const env = { CORPUS_STATE: file, HOME: folder };
    const args = ["-m", "streamlit", "run", app, ...flags];
    const server = await startPython(python, args, { cwd: folder, env, port, path: "/_stcore/health" });
    return {
      ...server,
      reset: () => rm(file, { force: true }),
      state: async () => JSON.parse(await readFile(file, "utf8")),
    };
  },
  async eye(agent) {
    const seen = await agent.run("look");
    const name = ref(seen, "Name");
    const rooms = await agent.run(`fill ${name} Ada`, `press Enter ${name}`, `click ${ref(seen, "Room")}`);
    await agent.run(`click ${ref(rooms, "Quito")}`, `fill ${ref(seen, "People")} 6`, `check ${ref(seen, "Coffee")}`);
    await agent.run(`click ${ref(seen, "Reserve")}`, "wait text=Reserved");
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const rooms = await agent.run(
      `fill ${peerRef(seen, "Name")} Ada`,
      "press Enter",
      `click ${peerRef(seen, /Room|Oslo/)}`,
      "snapshot -i",
    );
    const after = await agent.run(`click ${peerRef(rooms, "Quito")}`, "snapshot -i");
    await agent.run(
      `focus ${peerRef(after, "People", "slider")}`,
      "press ArrowRight",
      "press ArrowRight",
      `check ${peerRef(after, "Coffee")}`,
    );
    await agent.run("find role button click --name Reserve", "wait --text Reserved");
  },
  check(state) {
    assert.deepEqual(state, { name: "Ada", room: "Quito", people: 6, coffee: true });
  },
};
