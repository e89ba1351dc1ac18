// A headless browser with one page, controlled through its pipe.

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../../harness/remove.mjs";

export const FLAGS = ["--no-sandbox", "--disable-gpu"];
/** The same features off as in eye's own browser. */
const OFF = "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup";

/** A browser that is used directly. */
export class Raw {
  #last = 0;
  #waiting = new Map();

  static async open(chromium, url) {
    const raw = new Raw();
    raw.profile = mkdtempSync(join(tmpdir(), "eye-raw-"));
    const flags = [
      "--headless=new",
      "--remote-debugging-pipe",
      "--window-size=1280,800",
      "--no-first-run",
      OFF,
      ...FLAGS,
    ];
    raw.child = spawn(chromium, [...flags, `--user-data-dir=${raw.profile}`], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    let text = "";
    raw.child.stdio[4].on("data", (data) => {
      text += data;
      const messages = text.split("\0");
      text = messages.pop();
      for (const message of messages.map(JSON.parse)) {
        raw.#waiting.get(message.id)?.(message.result);
        raw.#waiting.delete(message.id);
      }
    });
    const { targetId } = await raw.ask("Target.createTarget", { url, newWindow: true });
    raw.session = (await raw.ask("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime"]) await raw.ask(`${domain}.enable`, {}, raw.session);
    await raw.ask("Emulation.setFocusEmulationEnabled", { enabled: true }, raw.session);
    return raw;
  }

  ask(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async close() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await ended;
    await removeFolder(this.profile);
  }
}

/** The params of `Runtime.evaluate` for the value of an expression. */
export const evaluation = (expression) => ({ expression, awaitPromise: true, returnByValue: true });
