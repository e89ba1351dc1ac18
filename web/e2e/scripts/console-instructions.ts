// The cost of a call to the hub in instructions, without a console and with one that watches. Callgrind counts them, so
// that other programs on the machine do not matter. Every run takes the same time with few and with many calls: the
// difference is the cost of the calls; the rest is the cost of an open console per second, with or without calls.
//
//   EYE_BIN=../../target/release/eye node script.mjs console-instructions [CALLS] [SECONDS]

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { WebSocket } from "ws";
import { Agent } from "../stage/agent.js";
import { consoleLink } from "../stage/console.js";
import { Home } from "../../harness/home.js";
import { plainPage } from "../stage/plain-page.js";
import { until } from "../../harness/until.js";
import { program } from "../../harness/program.js";

const [calls = 2000, seconds = 30] = process.argv.slice(2, 4).map(Number);
const FEW = 200;
const START_MS = 120_000;
/** The load by which the cost of an open console is divided. */
const CALLS_PER_S = 2000;

/** A console without a browser: its cost to the hub is the same. */
async function watch(home: Home): Promise<WebSocket> {
  const link = new URL(await consoleLink(home));
  const local = `http://127.0.0.1:${String(home.port)}`;
  const headers = { host: link.host, origin: link.origin };
  const socket = await new Promise<WebSocket>((done, failed) => {
    const exchange = spawn("curl", [
      ...["-sS", "-X", "POST", "--data", link.hash.slice(1)],
      ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
      `${local}/key`,
    ]);
    let text = "";
    exchange.stdout.on("data", (bytes: Buffer) => (text += bytes.toString()));
    exchange.on("close", () => {
      const { key } = JSON.parse(text) as { key: string };
      const opened = new WebSocket(`${local.replace("http", "ws")}/ws`, ["eye.console", `key.${key}`], { headers });
      opened.once("open", () => done(opened));
      opened.once("error", failed);
    });
  });
  const watching = new Promise((done) => socket.once("message", done));
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "console/watch", params: {} }));
  await watching;
  return socket;
}

/** Instructions of one hub's whole life, with `count` calls in a fixed time. */
async function instructions(count: number, watched: boolean): Promise<number> {
  const home = await Home.open();
  const out = join(home.folder, "callgrind.out");
  const args = ["--tool=callgrind", `--callgrind-out-file=${out}`, program(), "up", "--foreground"];
  const hub = spawn("valgrind", args, { cwd: join(home.folder, "work"), env: home.env, stdio: "ignore" });
  const ended = new Promise((done) => hub.once("exit", done));
  await until("the hub answers", async () => ((await home.status()) === undefined ? undefined : true), START_MS);
  const page = await plainPage(home, "plain");
  const agent = await Agent.connect(home.socket);
  agent.send(JSON.stringify({ jsonrpc: "2.0", id: "hello", method: "hello", params: { agent: "counted" } }));
  await agent.frame((frame) => frame.includes('"hello"'));
  const console_ = watched ? await watch(home) : undefined;
  const end = performance.now() + seconds * 1000;
  for (let n = 0; n < count; n++) {
    await agent.ask(`c${String(n)}`, "1");
    agent.frames.length = 0;
  }
  const left = end - performance.now();
  if (left < 0) throw new Error(`${String(count)} calls take longer than ${String(seconds)} s: give more seconds`);
  await new Promise((done) => setTimeout(done, left));
  console_?.close();
  agent.close();
  page.close();
  await home.eye("down");
  await ended;
  const total = /^(?:totals|summary): (\d+)/mu.exec(await readFile(out, "utf8"))?.[1];
  await home.close();
  if (total === undefined) throw new Error("callgrind wrote no total");
  return Number(total);
}

interface Cost {
  readonly few: number;
  readonly perCall: number;
}

async function cost(watched: boolean): Promise<Cost> {
  const [few, many] = [await instructions(FEW, watched), await instructions(FEW + calls, watched)];
  return { few, perCall: (many - few) / calls };
}

const [none, open] = [await cost(false), await cost(true)];
// The few calls cost more with a console too; this is not part of the console's own cost.
const perSecond = (open.few - none.few - FEW * (open.perCall - none.perCall)) / seconds;
const loaded = open.perCall + perSecond / CALLS_PER_S;
const percent = (value: number): string => `${(100 * (value / none.perCall - 1)).toFixed(1)} %`;
const shown = (value: number): string => Math.round(value).toString().padStart(12);
console.log(`no console,      instructions a call       ${shown(none.perCall)}`);
console.log(`a console open,  instructions a call       ${shown(open.perCall)}  ${percent(open.perCall)}`);
console.log(`a console open,  instructions a second     ${shown(perSecond)}`);
console.log(`at ${String(CALLS_PER_S)} calls/s, a call and its share    ${shown(loaded)}  ${percent(loaded)}`);
