// Real clients (the TypeScript SDKs 1.x and 2.x) of a real hub whose servers are late, hang, send progress quickly, or
// return large answers.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { Home } from "../../harness/home.js";
import { until } from "../../harness/until.js";
import { program } from "../../harness/program.js";

/**
 * A server of a few lines. `tell` writes progress and the result in one write; `rows` returns a long list. It starts
 * only if FLAG exists.
 */
const SERVER = `
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
const flag = process.argv[2];
if (flag !== undefined && !existsSync(flag)) { console.error("loading\\nno database yet"); process.exit(4); }
const tools = ["tell", "rows"].map((name) => ({ name, description: "Does " + name + ".", inputSchema: { type: "object" } }));
const line = (message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n";
createInterface({ input: process.stdin }).on("line", (text) => {
  const { id, method, params } = JSON.parse(text);
  if (method === "initialize") process.stdout.write(line({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" }, instructions: "Ask for rows last." } }));
  if (method === "tools/list") process.stdout.write(line({ id, result: { tools } }));
  if (method !== "tools/call") return;
  const progressToken = params._meta?.progressToken;
  const told = [1, 2, 3].map((progress) => line({ method: "notifications/progress", params: { progressToken, progress, total: 3 } })).join("");
  const rows = Array.from({ length: 4000 }, (_, n) => ({ id: n, name: "row " + n }));
  const content = [{ type: "text", text: params.name === "rows" ? JSON.stringify(rows) : "told" }];
  process.stdout.write((params.name === "tell" ? told : "") + line({ id, result: { content } }));
});
`;

let home: Home;
let script: string;

before(async () => {
  home = await Home.open();
  await home.up();
  script = join(home.folder, "server.mjs");
  await writeFile(script, SERVER);
});

after(() => home.close());

async function configured(servers: Record<string, readonly string[]>): Promise<void> {
  const folder = join(home.folder, "config/eye");
  await mkdir(folder, { recursive: true });
  const entries = Object.entries(servers).map(([name, words]) => `  ${name}: { command: ${JSON.stringify(words)} }\n`);
  await writeFile(join(folder, "config.yaml"), `servers:\n${entries.join("")}`);
}

async function connected(flags: readonly string[], env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: "eye-e2e", version: "0.1.0" });
  const cwd = join(home.folder, "work");
  await mkdir(cwd, { recursive: true });
  await client.connect(new StdioClientTransport({ command: program(), args: ["mcp", ...flags], env, cwd }));
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<readonly string[]> {
  const { content } = (await client.callTool({ name, arguments: args })) as { content: readonly { text?: string }[] };
  return content.map(({ text }) => text ?? "");
}

/** Calls `quick::tell` fifty times, and expects every progress message each time. */
async function toldEachTime(
  call: (onprogress: (news: { progress: number }) => void) => Promise<unknown>,
): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    const reports: number[] = [];
    const answer = call(({ progress }) => reports.push(progress));
    // The client's thread is blocked while everything arrives, so that it reads all of it at once.
    await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now() + 30;
    while (performance.now() < end);
    await answer;
    assert.deepEqual(reports, [1, 2, 3], `round ${String(round)}`);
  }
}

test("a program that uses the SDK is told the progress that a server writes together with its result", async () => {
  await configured({ quick: [process.execPath, script] });
  const client = await connected([], { ...home.env });
  const params = { name: "mcp_call", arguments: { name: "quick::tell" } };
  await toldEachTime((onprogress) => client.callTool(params, undefined, { onprogress }));
  await client.close();
});

test("a program of the modern era, which has no ping, is told that progress too", async () => {
  await configured({ quick: [process.execPath, script] });
  const client = new Client2(
    { name: "eye-e2e", version: "0.1.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const cwd = join(home.folder, "work");
  await mkdir(cwd, { recursive: true });
  await client.connect(new Stdio2({ command: program(), args: ["mcp"], env: { ...home.env }, cwd }));
  const params = { name: "mcp_call", arguments: { name: "quick::tell" } };
  await toldEachTime((onprogress) => client.callTool(params, { onprogress }));
  await client.close();
});

test("a large list is read to its end by the calls that its pieces show", async () => {
  await configured({ quick: [process.execPath, script] });
  const client = await connected([], { ...home.env });
  const ids: number[] = [];
  let parts = await call(client, "mcp_call", { name: "quick::rows" });
  for (let piece = 0; piece < 20; piece += 1) {
    assert.ok(parts.join("").length <= 40_000);
    for (const { id } of JSON.parse(parts[0] ?? "") as { id: number }[]) ids.push(id);
    const next = /mcp_call (\{"cursor":"[^"]+"\})/u.exec(parts[1] ?? "");
    if (next === null) break;
    parts = await call(client, "mcp_call", JSON.parse(next[1] ?? "") as Record<string, unknown>);
  }
  assert.deepEqual(
    ids,
    Array.from({ length: 4000 }, (_, n) => n),
  );
  await client.close();
});

test("a hung and a late server are reported at once, and the late one is found when it is there", async () => {
  const flag = join(home.folder, "up");
  await configured({
    hung: ["sleep", "600"],
    late: [process.execPath, script, flag],
    quick: [process.execPath, script],
  });
  const client = await connected([], { ...home.env });
  const [first = ""] = await call(client, "mcp_discover", { query: "tell" });
  assert.match(first, /! hung is starting/u);
  let down = "";
  await until("the late server is reported as down", async () => {
    [down = ""] = await call(client, "mcp_discover", { query: "tell" });
    return down.includes("late is down") || undefined;
  });
  assert.match(down, /! late is down: it ended with exit status: 4: no database yet/u);
  const refused = await call(client, "mcp_call", { name: "late::tell" });
  assert.match(refused.join(""), /late is down.*no database yet/su);
  await writeFile(flag, "");
  const found = async () => (await call(client, "mcp_discover", { query: "tell" })).join("");
  await until("the late server is found", async () => (await found()).includes("late::tell(") || undefined);
  assert.deepEqual(await call(client, "mcp_call", { name: "late::tell" }), ["told"]);
  const times: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    const began = performance.now();
    await call(client, "mcp_discover", { query: "tell" });
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  assert.ok((times[5] ?? 0) < 1_000, `discovery beside a hung server took ${String(times[5])} ms`);
  await client.close();
});

test("a full list starts servers that were never asked, and tells of those that come later", async () => {
  const flag = join(home.folder, "later");
  await configured({ fresh: [process.execPath, script], later: [process.execPath, script, flag] });
  const client = await connected(["--full"], { ...home.env });
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1;
  });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await until("a fresh server is listed", async () => (await names()).includes("fresh__tell") || undefined);
  const before = changes;
  await writeFile(flag, "");
  await until("the client hears of a change", () => changes > before || undefined);
  await until("the later server is listed", async () => (await names()).includes("later__tell") || undefined);
  await client.close();
});

test("a client that passes no environment on finds the running hub", async () => {
  await configured({ quick: [process.execPath, script] });
  const pid = (await home.status())?.pid;
  assert.notEqual(pid, undefined);
  const { PATH = "", HOME = "", EYE_PORT = "" } = home.env;
  const client = await connected([], { PATH, HOME, EYE_PORT });
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ["eye", "mcp_discover", "mcp_call"],
  );
  assert.equal((await home.status())?.pid, pid);
  await client.close();
});
