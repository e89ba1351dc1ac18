// JupyterLab: a notebook is made, code is written into its cell and run; the saved file has the output.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { peerRef, ref } from "../lib/agent.mjs";
import { freePort, startPython } from "../lib/server.mjs";

const notebooks = async (folder) => (await readdir(folder)).filter((name) => name.endsWith(".ipynb"));

export default {
  python: true,
  ready: ".jp-LauncherCard",
  wish: "In a new Python notebook compute 6 * 7, and save it.",
  async serve({ python, folder }) {
    const root = join(folder, "root");
    await mkdir(root, { recursive: true });
    const port = await freePort();
    const flags = [
      `--ServerApp.port=${port}`,
      `--ServerApp.root_dir=${root}`,
      "--IdentityProvider.token=",
      "--no-browser",
      "--allow-root",
    ];
    const args = ["-m", "jupyterlab", ...flags];
    const server = await startPython(python, args, { cwd: root, env: { HOME: folder }, port, path: "/api" });
    return {
      ...server,
      url: `${server.url}/lab?reset`,
      reset: async () => Promise.all((await notebooks(root)).map((name) => rm(join(root, name)))),
      state: async () =>
        Promise.all((await notebooks(root)).map(async (name) => JSON.parse(await readFile(join(root, name), "utf8")))),
    };
  },
  async eye(agent) {
    const seen = await agent.run("look");
    await agent.run(`click ${ref(seen, /Python 3/)}`, "wait 'css=.jp-Notebook .cm-content'");
    await agent.run(
      "type 'css=.jp-Notebook .cm-content' '6 * 7'",
      "press Shift+Enter",
      "wait text=42",
      "press Control+s",
      "click 'text=Rename and Save'",
    );
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    await agent.run(`click ${peerRef(seen, /Python 3/)}`, "wait '.jp-Notebook .cm-content'");
    await agent.run(
      "click '.jp-Notebook .cm-content'",
      "keyboard type '6 * 7'",
      "press Shift+Enter",
      "wait --text 42",
      "press Control+s",
      "find text 'Rename and Save' click",
    );
  },
  check([notebook]) {
    const [cell] = notebook.cells;
    assert.equal([cell.source].flat().join(""), "6 * 7");
    assert.deepEqual([cell.outputs[0].data["text/plain"]].flat(), ["42"]);
  },
};
