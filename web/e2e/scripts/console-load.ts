// The cost of a console and whether it keeps up: a steady load of calls, first without a console, then with one that
// shows them. Prints a table: frames of the console, processor time of its main thread's tasks, and the response times
// of a bystander, an agent that calls another page now and then. Rounds with and without a console alternate. No figure
// is asserted.
//
//   EYE_BIN=../../target/release/eye node script.mjs console-load [CALLS_PER_S] [SECONDS] [VIEW] [ROUNDS]

import { Agent } from "../stage/agent.js";
import { startChromium } from "../../harness/chromium.js";
import { consoleLink } from "../stage/console.js";
import { Home } from "../../harness/home.js";
import { plainPage } from "../stage/plain-page.js";

const [rate = 2000, seconds = 15] = process.argv.slice(2, 4).map(Number);
const view = process.argv[4] ?? "calls";
const TICK_MS = 5;
const BYSTANDER_MS = 20;
const FRAME_MS = 50;
const ROUNDS = Number(process.argv[5] ?? 3);

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

class Caller {
  readonly took: number[] = [];
  readonly #begun = new Map<string, number>();
  #id = 0;

  constructor(readonly agent: Agent) {
    agent.socket.on("data", (bytes: Buffer) => {
      const now = performance.now();
      for (const line of bytes.toString("utf8").split("\n")) {
        const id = /^(\w+)[:=~]/u.exec(line)?.[1] ?? "";
        const begun = this.#begun.get(id);
        if (begun !== undefined) this.took.push(now - begun);
        this.#begun.delete(id);
      }
      agent.frames.length = 0;
    });
  }

  get open(): number {
    return this.#begun.size;
  }

  ask(count: number): void {
    const now = performance.now();
    const frames = Array.from({ length: count }, () => {
      this.#id += 1;
      const id = `c${String(this.#id)}`;
      this.#begun.set(id, now);
      return `${id}:1`;
    });
    this.agent.send(...frames);
  }
}

async function agent(home: Home, name: string, on: string): Promise<Caller> {
  const made = await Agent.connect(home.socket);
  made.send(JSON.stringify({ jsonrpc: "2.0", id: "hello", method: "hello", params: { agent: name } }));
  await made.frame((frame) => frame.includes('"hello"'));
  made.send(JSON.stringify({ jsonrpc: "2.0", id: "use", method: "session/use", params: { page: on } }));
  await made.frame((frame) => frame.includes('"use"'));
  return new Caller(made);
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * The processor time of each task of the tab's main thread, in ms, shortest first: other programs on the machine
 * lengthen frames, but not this.
 */
function tasksOf(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as { traceEvents: readonly TraceEvent[] };
  const of = ({ pid, tid }: TraceEvent): string => `${String(pid)} ${String(tid)}`;
  const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const mains = new Set(named.map(of));
  const tasks = traceEvents.filter((event) => event.ph === "X" && event.tdur !== undefined && mains.has(of(event)));
  return tasks.map(({ tdur = 0 }) => tdur / 1000).sort((a, b) => a - b);
}

interface Round {
  readonly done: number;
  readonly bystander: readonly number[];
}

/** Runs the load for its duration. */
async function load(home: Home): Promise<Round> {
  const [busy, bystander] = [await agent(home, "busy", "busy"), await agent(home, "bystander", "quiet")];
  const began = performance.now();
  let sent = 0;
  await new Promise<void>((done) => {
    const asking = setInterval(() => {
      const passed = performance.now() - began;
      if (passed >= seconds * 1000) {
        clearInterval(asking);
        clearInterval(beside);
        done();
        return;
      }
      const due = Math.floor((passed / 1000) * rate) - sent;
      if (due > 0) busy.ask(due);
      sent += Math.max(0, due);
    }, TICK_MS);
    const beside = setInterval(() => bystander.open === 0 && bystander.ask(1), BYSTANDER_MS);
  });
  const passed = (performance.now() - began) / 1000;
  const round = { done: busy.took.length / passed, bystander: bystander.took.sort((a, b) => a - b) };
  busy.agent.close();
  bystander.agent.close();
  return round;
}

const ms = (value: number): string => value.toFixed(2);
const COLUMNS = [
  "round",
  "calls/s without",
  "with",
  "rows",
  "frames",
  "over 50 ms",
  "p99 ms",
  "max ms",
  "task p99 ms",
  "max ms",
  "bystander p50 ms without",
  "with",
  "p99 ms without",
  "with",
  "ratio",
];
const row = (...cells: readonly string[]): void =>
  console.log(cells.map((cell, at) => cell.padStart(COLUMNS[at]?.length ?? 0)).join(" | "));

const ratios: number[] = [];
const home = await Home.open();
await home.up();
const browser = await startChromium();
try {
  const pages = [await plainPage(home, "busy"), await plainPage(home, "quiet")];
  await load(home);
  row(...COLUMNS);
  for (let round = 1; round <= ROUNDS; round++) {
    const without = await load(home);
    const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await tab.goto(await consoleLink(home));
    await tab.waitForSelector(".live.live");
    await tab.evaluate((hash) => (location.hash = hash), `#/${view}`);
    await tab.evaluate(() => {
      const kept = globalThis as unknown as { frames: number[] };
      kept.frames = [];
      let last = performance.now();
      const next = (now: number): void => {
        kept.frames.push(now - last);
        last = now;
        requestAnimationFrame(next);
      };
      requestAnimationFrame(next);
    });
    await browser.startTracing(tab, { categories: ["toplevel"] });
    const open = await load(home);
    const tasks = tasksOf(await browser.stopTracing());
    const frames = await tab.evaluate(() => (globalThis as unknown as { frames: number[] }).frames.slice(1));
    frames.sort((a, b) => a - b);
    const over = frames.filter((ms) => ms > FRAME_MS).length;
    const shown = await tab.evaluate(() => document.querySelector(".tools [role=status]")?.textContent ?? "");
    await tab.close();
    const [before, after] = [percentile(without.bystander, 0.99), percentile(open.bystander, 0.99)];
    ratios.push(after / before);
    row(
      String(round),
      without.done.toFixed(0),
      open.done.toFixed(0),
      shown.replace(/ calls.*/u, ""),
      String(frames.length),
      `${String(over)} (${((100 * over) / frames.length).toFixed(1)} %)`,
      ms(percentile(frames, 0.99)),
      ms(frames.at(-1) ?? 0),
      ms(percentile(tasks, 0.99)),
      ms(tasks.at(-1) ?? 0),
      ms(percentile(without.bystander, 0.5)),
      ms(percentile(open.bystander, 0.5)),
      ms(before),
      ms(after),
      ms(after / before),
    );
  }
  ratios.sort((a, b) => a - b);
  const [least, middle, most] = [0, 0.5, 1].map((part) => ms(percentile(ratios, part)));
  console.log(
    `bystander's p99 with a console, as a ratio: median ${middle ?? ""}, from ${least ?? ""} to ${most ?? ""}`,
  );
  for (const one of pages) one.close();
} finally {
  await browser.close();
  await home.close();
}
