// Measures `tools/call` from an agent to a provider over WebSocket and over SSE and POST, through a real hub.
// With --write the figures go into the README's table. EYE_BIN names the hub; a release build is the one to measure.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "../../harness/load.mjs";
import { AgentClient, HttpStreamingClient, SocketNativeClient } from "../dist/index.js";

const here = import.meta.dirname;
const { Home } = await load("harness/home.js");
const WARM = 500;
const CALLS = 5000;
const AT_ONCE = 64;

const home = await Home.running();
try {
  const token = await home.token();
  const figures = {};
  for (const [name, Client] of [
    ["WS", SocketNativeClient],
    ["SSE", HttpStreamingClient],
  ]) {
    const provider = new Client({ serverUrl: home.url.replace("http", "ws"), token });
    provider.registerHandler("add", ({ a, b }) => a + b);
    await provider.connect();
    await provider.registerTools([
      { name: "add", inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } } },
    ]);
    const agent = new AgentClient({ unix: home.socket, session: provider.getSessionId() });
    await agent.connect();
    figures[name] = await measure(() => agent.call("add", { a: 1, b: 2 }));
    console.log(
      `${name.padEnd(4)} p50 ${us(figures[name].p50)}  p99 ${us(figures[name].p99)}  ${figures[name].rate} calls/s`,
    );
    agent.close();
    provider.disconnect();
  }
  if (process.argv.includes("--write")) write(figures);
} finally {
  await home.close();
}

async function measure(call) {
  for (let n = 0; n < WARM; n++) await call();
  const times = [];
  for (let n = 0; n < CALLS; n++) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const begun = performance.now();
  let left = CALLS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await call();
    }),
  );
  const rate = Math.round((CALLS / (performance.now() - begun)) * 10) * 100;
  return { p50: times[Math.floor(CALLS * 0.5)], p99: times[Math.floor(CALLS * 0.99)], rate };
}

function us(ms) {
  return `${Math.round(ms * 1000)} µs`;
}

function write({ WS, SSE }) {
  const path = join(here, "../README.md");
  const row = (title, ws, sse) => [new RegExp(`^\\| ${title} \\|.*$`, "m"), `| ${title} | ${ws} | ${sse} |`];
  let text = readFileSync(path, "utf8");
  for (const [found, made] of [
    row("Latency of one `tools/call`, p50, measured", us(WS.p50), us(SSE.p50)),
    row("the same, p99", us(WS.p99), us(SSE.p99)),
    row("calls per second, 64 at once", WS.rate, SSE.rate),
  ])
    text = text.replace(found, made);
  writeFileSync(path, text);
}
