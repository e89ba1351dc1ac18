// Third-party MCP clients, each with a page in a real browser: they list, evaluate, discover, and call by name.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { peers } from "../peers/install.mjs";
import { Stage } from "../stage/stage.js";
import { program, web } from "../../harness/program.js";

const BODY = `
<script>
  eye.tool({
    name: "add",
    description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    execute: ({ a, b }) => ({ sum: a + b }),
  });
  eye.state(() => ({ count: window.count ?? 0 }));
</script>`;

const INFO = { name: "eye-e2e", version: "0.1.0" };
const WEB = web();

let stage: Stage;
let token: string;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", { title: "Shop", body: BODY, tag: 'data-session="shop"' });
  await stage.visit("/");
  token = await stage.home.token();
});

after(() => stage.close());

/** The results that every client must get. */
interface Seen {
  readonly names: readonly string[];
  readonly title: string;
  readonly found: string;
  readonly sum: string;
}

function check({ names, title, found, sum }: Seen): void {
  assert.deepEqual(names, ["eye", "mcp_discover", "mcp_call"]);
  assert.equal(title, "Shop");
  assert.match(found, /^add\(a: number, b: number\)  Adds two numbers\.\n/u);
  assert.equal(sum, "3");
}

function stdio(): { command: string; args: string[]; env: Record<string, string>; cwd: string } {
  return { command: program(), args: ["mcp"], env: { ...stage.home.env }, cwd: join(stage.home.folder, "work") };
}

function url(): URL {
  return new URL(`${stage.home.url}/mcp`);
}

function bearer(): { requestInit: { headers: Record<string, string> } } {
  return { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
}

/** The text of a tool's result, from any client. */
function text(result: unknown): string {
  const { content } = result as { content: readonly { readonly text?: string }[] };
  return content[0]?.text ?? "";
}

interface Caller {
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

async function see(client: Caller): Promise<Seen> {
  const { tools } = await client.listTools();
  const call = async (name: string, args: Record<string, unknown>) =>
    text(await client.callTool({ name, arguments: args }));
  return {
    names: tools.map(({ name }) => name),
    title: await call("eye", { expr: "document.title" }),
    found: await call("mcp_discover", { query: "add" }),
    sum: await call("mcp_call", { name: "add", arguments: { a: 1, b: 2 }, select: "$.sum" }),
  };
}

for (const kind of ["stdio", "http"] as const) {
  test(`the TypeScript SDK 1.x over ${kind}`, async () => {
    const client = new Client1(INFO);
    // The SDK's own transports do not fit its interface under exactOptionalPropertyTypes.
    const transport = (kind === "stdio" ? new Stdio1(stdio()) : new Http1(url(), bearer())) as Transport1;
    await client.connect(transport);
    check(await see(client));
    await client.close();
  });

  for (const mode of ["legacy", "auto", { pin: "2026-07-28" }] as const) {
    const name = typeof mode === "string" ? mode : `pinned to ${mode.pin}`;
    test(`the TypeScript SDK 2.x over ${kind}, ${name}`, async () => {
      const client = new Client2(INFO, { versionNegotiation: { mode } });
      await client.connect(kind === "stdio" ? new Stdio2(stdio()) : new Http2(url(), bearer()));
      check(await see(client));
      await client.close();
    });
  }

  for (const mode of ["legacy", "auto", "2026-07-28"] as const) {
    test(`the Python SDK over ${kind}, ${mode}`, async () => {
      const script = join(WEB, "e2e/peers/client.py");
      const where = kind === "stdio" ? ["-", program(), "mcp"] : [url().href, token];
      check(JSON.parse(await output((await peers()).python, [script, mode, ...where])) as Seen);
    });
  }
}

for (const era of ["legacy", "auto", "modern"] as const) {
  test(`the Inspector's command line, ${era}`, async () => {
    const { node, inspector } = await peers();
    // A flag must stand between a tool's arguments and the command: the option takes all arguments that follow.
    const ask = async (method: string, ...flags: string[]): Promise<unknown> => {
      // The inspector passes on only the environment variables that it is given.
      const env = Object.entries(stage.home.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
      const all = [inspector, "--cli", ...env, "--protocol-era", era, "--format", "json", ...flags, "--method", method];
      const { result } = JSON.parse(await output(node, [...all, program(), "mcp"])) as { result: unknown };
      return result;
    };
    const call = async (name: string, ...args: string[]) =>
      text(await ask("tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg])));
    const list = (await ask("tools/list")) as { tools: readonly { name: string }[] };
    check({
      names: list.tools.map(({ name }) => name),
      title: await call("eye", "expr=document.title"),
      found: await call("mcp_discover", "query=add"),
      sum: await call("mcp_call", "name=add", 'arguments={"a":1,"b":2}', "select=$.sum"),
    });
  });
}

test("a state that changes is told to a client that follows it", async () => {
  const client = new Client1(INFO);
  await client.connect(new Http1(url(), bearer()) as Transport1);
  const uri = "eye://session/shop/state";
  const updated = new Promise<string>((resolve) => {
    client.fallbackNotificationHandler = (notification) => {
      const { uri: changed } = (notification.params ?? {}) as { uri?: string };
      if (notification.method === "notifications/resources/updated") resolve(changed ?? "");
      return Promise.resolve();
    };
  });
  await client.subscribeResource({ uri });
  await client.callTool({ name: "eye", arguments: { expr: "window.count = 7" } });
  assert.equal(await updated, uri);
  const { contents } = await client.readResource({ uri });
  assert.deepEqual(JSON.parse((contents[0] as { text: string }).text), { count: 7 });
  await client.close();
});

test("a client without the token is refused, and told how to get in", async () => {
  const response = await fetch(url(), { method: "POST", body: "{}" });
  assert.equal(response.status, 401);
  assert.equal(response.headers.get("www-authenticate"), "Bearer");
  assert.match(JSON.stringify(await response.json()), /eye token show/u);
});

test("a client of today is served at the original's address too", async () => {
  const client = new Client1(INFO);
  await client.connect(new Http1(new URL(`${stage.home.url}/api/mcp`), bearer()) as Transport1);
  check(await see(client));
  await client.close();
});

test("the original's bare body is answered in its own form", async () => {
  await stage.home.eye("globalThis.ALGO = { bridge: { query: (selector) => ({ success: true, selector }) } }; 1");
  const ask = async (body: unknown): Promise<unknown> => {
    const response = await fetch(`${stage.home.url}/api/mcp`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
    return response.json();
  };
  const { tools } = (await ask({ method: "tools/list" })) as { tools: readonly { name: string }[] };
  assert.equal(tools[0]?.name, "algo_eval");
  const called = await ask({ method: "tools/call", params: { name: "algo_query", arguments: { selector: "#a" } } });
  assert.deepEqual(called, { content: [{ type: "text", text: '{"success":true,"selector":"#a"}' }] });
  assert.deepEqual(await ask({ method: "tools/call", params: { name: "nothing" } }), {
    error: "Unknown tool: nothing",
  });
  assert.deepEqual(await ask({ method: "nothing" }), { error: "Unknown method: nothing" });
});

test("the original's tools work in a page that has no bridge", async () => {
  await stage.home.eye(
    "delete globalThis.ALGO; document.body.innerHTML = '<input id=who><b class=x>one</b><b class=x>two</b>'; 1",
  );
  const called = async (name: string, args: object = {}): Promise<unknown> => {
    const response = await fetch(`${stage.home.url}/api/mcp`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      // The user of the original's example; no page has that name.
      body: JSON.stringify({ method: "tools/call", params: { name, arguments: args }, user: "root" }),
    });
    const { content, error } = (await response.json()) as { content?: { text: string }[]; error?: string };
    assert.equal(error, undefined);
    return JSON.parse(content?.[0]?.text ?? "null");
  };
  assert.deepEqual(await called("algo_eval", { code: "1 + 1" }), { success: true, result: 2, type: "number" });
  assert.equal(((await called("algo_eval", { code: "nope()" })) as { success: boolean }).success, false);
  const { success, result } = (await called("algo_getState")) as { success: boolean; result: { windows: unknown[] } };
  assert.deepEqual([success, result.windows.length], [true, 1]);
  assert.deepEqual(await called("algo_setValue", { selector: "#who", value: "Ada" }), {
    success: true,
    selector: "#who",
    value: "Ada",
  });
  assert.equal((await stage.home.eye("document.querySelector('#who').value")).stdout, "Ada\n");
  const all = (await called("algo_queryAll", { selector: ".x" })) as { count: number; result: { text: string }[] };
  assert.deepEqual([all.count, all.result[1]?.text], [2, "two"]);
  assert.deepEqual(await called("algo_query", { selector: "#none" }), { success: true, result: null });
  assert.deepEqual(await called("algo_click", { selector: "#none" }), {
    success: false,
    error: "Element not found: #none",
  });
  assert.deepEqual(await called("algo_click", { selector: ".x" }), { success: true, clicked: ".x" });
});

/** The output of a program, which must succeed. */
async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, {
    cwd: join(stage.home.folder, "work"),
    env: { ...stage.home.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  assert.equal(code, 0, stderr + stdout);
  return stdout;
}
