// Figures of eye's own browser beside the same browser spoken to directly, by turns in one run: eval, also beside the
// least program that an agent could reach a browser through (`relay.mjs`), a click (`click.mjs`), a picture, the memory
// of the hub per page, and opening a page beside agent-browser. `node bench/driven.mjs [--quick]`; EYE_BIN names the
// binary, EYE_CHROMIUM the browser, AGENT_BROWSER the peer, if it is there.

import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { load } from "../../harness/load.mjs";
import { removeFolder } from "../../harness/remove.mjs";
import { Clicks, CLICKED } from "./click.mjs";
import { evaluation, FLAGS, Raw } from "./raw.mjs";
import { table } from "./table.mjs";

const quick = process.argv.includes("--quick");
const EVALS = quick ? 200 : 1000;
const SHOTS = quick ? 10 : 40;
const CLICKS = quick ? 20 : 100;
const OPENS = quick ? 2 : 5;
const PAGES = quick ? 4 : 10;
const run = promisify(execFile);

const { findChromium, Home } = await load("harness/home.js", "harness/chromium.js");
const chromium = findChromium();
const rows = Array.from({ length: 40 }, (_, at) => `<tr><td>${at}<td>Row ${at}<td><button>Take ${at}</button>`).join(
  "",
);
const site = createServer((_, answer) => {
  answer.setHeader("content-type", "text/html");
  answer.end(`<!doctype html><title>Table</title><button id="go" style="position:fixed;left:700px;top:40px">Go</button>
<p id="out"></p><table>${rows}</table><script>${CLICKED}
go.onclick = () => (out.textContent = Number(out.textContent) + 1)</script>`);
});
await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${site.address().port}/`;

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
const timed = async (act) => {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
};

/** An agent that keeps its connection to the hub. */
class Agent {
  #last = 0;
  #waiting = new Map();

  constructor(path) {
    this.socket = connect(path);
    let bytes = Buffer.alloc(0);
    this.socket.on("data", (data) => {
      bytes = Buffer.concat([bytes, data]);
      for (;;) {
        const end = bytes.indexOf(10);
        if (end < 0) return;
        const counted = bytes[0] === 35 ? Number(bytes.subarray(1, end)) : undefined;
        if (counted !== undefined && bytes.length < end + 1 + counted) return;
        const frame = counted === undefined ? bytes.subarray(0, end) : bytes.subarray(end + 1, end + 1 + counted);
        bytes = bytes.subarray(end + 1 + (counted ?? 0));
        const message = frame.length > 0 ? JSON.parse(frame) : {};
        this.#waiting.get(message.id)?.(message);
        this.#waiting.delete(message.id);
      }
    });
  }

  async ask(method, params) {
    const id = ++this.#last;
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}

/** A bare relay with its own browser, as a process, and a connection to it. */
class Relay {
  #waiting = [];

  static async open(path) {
    const relay = new Relay();
    const program = join(import.meta.dirname, "relay.mjs");
    relay.child = spawn(process.execPath, [program, chromium, url, path], { stdio: ["pipe", "pipe", "inherit"] });
    await new Promise((resolve) => relay.child.stdout.once("data", resolve));
    relay.socket = connect(path);
    let text = "";
    relay.socket.on("data", (data) => {
      text += data;
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines) relay.#waiting.shift()?.(JSON.parse(line));
    });
    return relay;
  }

  ask(expression) {
    this.socket.write(`${expression}\n`);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.socket.end();
    this.child.stdin.end();
    await ended;
  }
}

const home = await Home.open();
const env = { EYE_BROWSER: chromium, EYE_BROWSER_ARGS: FLAGS.join(" ") };
const eye = async (...words) => {
  const { code, stdout, stderr } = await home.eyeWith({ env }, ...words);
  if (code !== 0) throw new Error(`eye ${words.join(" ")}: ${stderr}`);
  return stdout;
};
const found = [];
const note = (what, ours, theirs, budget, unit = "ms") => {
  const ratio = theirs === undefined ? "" : (ours / theirs).toFixed(2);
  found.push([
    what,
    `${ours.toFixed(2)} ${unit}`,
    theirs === undefined ? "" : `${theirs.toFixed(2)} ${unit}`,
    ratio,
    budget,
  ]);
};

const raw = await Raw.open(chromium, url);
const relay = await Relay.open(join(home.folder, "relay.sock"));
try {
  await home.eyeWith({ env }, "up");
  await eye("browse", url, "--headless");
  const agent = new Agent(home.socket);
  const page = { page: "Table" };
  // A different text each time, as agents send it: browsers cache compiled code.
  let evals = 0;
  const code = () => `6 * ${++evals}`;
  const evaluate = () => agent.ask("eval", { ...page, code: code() });
  const evaluateRaw = () => raw.ask("Runtime.evaluate", evaluation(code()), raw.session);
  const evaluateRelayed = () => relay.ask(code());
  const shoot = () => agent.ask("page/shot", page);
  const clip = { x: 0, y: 0, width: 1265, height: 713, scale: 1 };
  const shootRaw = () =>
    raw.ask("Page.captureScreenshot", { format: "png", optimizeForSpeed: true, clip }, raw.session);
  const mouse = (type) => ({ type, x: 720, y: 50, button: "left", buttons: 1, clickCount: 1 });
  const placed = () => agent.ask("page/click", { ...page, at: [720, 50] });
  const click = () => agent.ask("page/click", { ...page, target: "#go" });
  const clickRaw = () =>
    Promise.all(
      ["mouseMoved", "mousePressed", "mouseReleased"].map((type) =>
        raw.ask("Input.dispatchMouseEvent", mouse(type), raw.session),
      ),
    );

  const byTurns = async (count, ...acts) => {
    for (let at = 0; at < 5; at++) await Promise.all(acts.map((act) => act()));
    const taken = acts.map(() => []);
    for (let at = 0; at < count; at++) for (const [which, act] of acts.entries()) taken[which].push(await timed(act));
    return taken.map(median);
  };
  const [evaluated, evaluatedRaw, relayed] = await byTurns(EVALS, evaluate, evaluateRaw, evaluateRelayed);
  note("eval, beside Runtime.evaluate", evaluated, evaluatedRaw, "1.15 ×");
  note("eval, beside a bare relay of it", evaluated, relayed, "");
  note("a bare relay, beside Runtime.evaluate", relayed, evaluatedRaw, "");
  note("shot of a viewport, beside captureScreenshot", ...(await byTurns(SHOTS, shoot, shootRaw)), "1.15 ×");
  const clicks = await Clicks.between(
    (code) => agent.ask("eval", { ...page, code }).then(({ value }) => value),
    (code) => raw.ask("Runtime.evaluate", evaluation(code), raw.session).then(({ result }) => result.value),
  );
  for (let at = 0; at < CLICKS; at++) await clicks.measure({ placed, click, raw: clickRaw });
  const { call, direct, after, own, targeted } = clicks.medians();
  note("click at a place, from the call until the page has it, beside its three commands", call, direct, "");
  note("the same click, from the page's rest to the answer", after, undefined, "");
  note("both together: what eye adds to the page's settling", own, undefined, "4 ms");
  note("click on a target, until the page has it: it must be at rest in two frames", targeted, undefined, "");

  const { pid } = await home.status();
  const memory = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
  const before = memory();
  for (let at = 0; at < PAGES; at++) await eye("browse", `${url}?${at}`, "--headless");
  note(`memory of the hub per page, of ${PAGES}`, (memory() - before) / PAGES, undefined, "200 KiB", "KiB");
  agent.socket.end();

  const peer = process.env.AGENT_BROWSER;
  const settings = { AGENT_BROWSER_SESSION: `bench-${process.pid}`, AGENT_BROWSER_EXECUTABLE_PATH: chromium };
  const peerEnv = { ...process.env, ...settings, HOME: home.folder, AGENT_BROWSER_ARGS: FLAGS.join(",") };
  const runPeer = (...words) =>
    run(peer, words, { env: { ...peerEnv, AGENT_BROWSER_PROFILE: join(home.folder, "peer") } });
  const [opened, openedPeer] = [[], []];
  await eye("browse", "--stop");
  // One unmeasured run each, so that both profiles are warm.
  for (let at = 0; at <= OPENS; at++) {
    const ours = await timed(async () => {
      await eye("browse", url, "--headless");
      await eye("look");
    });
    await eye("browse", "--stop");
    if (at > 0) opened.push(ours);
    if (peer === undefined) continue;
    const theirs = await timed(async () => {
      await runPeer("open", url);
      await runPeer("snapshot", "-i");
    });
    await runPeer("close");
    if (at > 0) openedPeer.push(theirs);
  }
  const theirs = peer === undefined ? undefined : median(openedPeer);
  note("browse and look, beside agent-browser open and snapshot", median(opened), theirs, "1.0 ×");
  table("Eye's own browser", ["what", "eye", "beside", "ratio", "budget"], found);
} finally {
  // The hub first: whatever fails below, none stays behind.
  await home.eye("down");
  await relay.close();
  await raw.close();
  await removeFolder(home.folder);
  site.close();
}
