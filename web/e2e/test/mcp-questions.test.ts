// Requests in the other direction: servers behind the gateway send them to the agent whose call is open, and a page's
// tool with an irreversible effect needs a person's consent.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Stage } from "../stage/stage.js";
import { program, web } from "../../harness/program.js";

const INFO = { name: "eye-e2e", version: "0.1.0" };
const WEB = web();
const ABLE = { elicitation: {}, sampling: {} };

const BODY = `
<h1>Bank</h1>
<script>
  console.warn("low on ink");
  eye.tool({ name: "wipe", description: "Deletes it all.", inputSchema: { type: "object" }, annotations: { consequentialHint: true }, execute: () => "wiped" });
</script>`;

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  await mkdir(join(stage.home.folder, "work"), { recursive: true });
  const server = { command: process.execPath, args: [join(WEB, "e2e/peers/asking-server.mjs")] };
  const config = JSON.stringify({ servers: { asking: server } });
  await mkdir(join(stage.home.folder, "config/eye"), { recursive: true });
  await writeFile(join(stage.home.folder, "config/eye/config.yaml"), config);
  assert.equal((await stage.home.eye("allow", "--confirm", new URL(stage.site.url("/")).origin)).code, 0);
  stage.site.page("/", { title: "Bank", body: BODY, tag: 'data-session="bank"' });
  await stage.visit("/");
});

after(() => stage.close());

function stdio(): { command: string; args: string[]; env: Record<string, string>; cwd: string } {
  return { command: program(), args: ["mcp"], env: { ...stage.home.env }, cwd: join(stage.home.folder, "work") };
}

function text(result: unknown): string {
  const { content } = result as { content: readonly { readonly text?: string }[] };
  return content[0]?.text ?? "";
}

interface Caller {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

async function call(client: Caller, name: string): Promise<string> {
  return text(await client.callTool({ name: "mcp_call", arguments: { name, arguments: {} } }));
}

/** A client of 1.x that accepts requests; it records those requests and the log messages that it receives. */
async function legacy(answers: string[]): Promise<{ client: Client1; questions: string[]; logged: unknown[] }> {
  const client = new Client1(INFO, { capabilities: ABLE });
  const questions: string[] = [];
  const logged: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    const name = answers.shift();
    return name === undefined ? { action: "decline" } : { action: "accept", content: { name, confirm: true } };
  });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "4" },
  }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
  await client.connect(new Stdio1(stdio()) as Transport1);
  return { client, questions, logged };
}

test("a legacy server asks a legacy client, and logs to it", async () => {
  const { client, questions, logged } = await legacy(["Ann", "Bob", "Cid"]);
  assert.equal(await call(client, "greet"), "Hello, Ann");
  assert.equal(await call(client, "greet_both"), "Bob and Cid");
  assert.equal(await call(client, "greet"), "Nobody: decline");
  assert.equal(await call(client, "think"), "4");
  assert.deepEqual(questions, ["Who are you?", "Who are you?", "And who else?", "Who are you?"]);
  assert.deepEqual(logged[0], { level: "warning", logger: "asking", data: "about to ask" });
  await client.close();
});

for (const kind of ["stdio", "http"] as const) {
  test(`a legacy server asks a modern client over ${kind}`, async () => {
    const client = new Client2(INFO, { capabilities: ABLE, versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const answers = ["Ann", "Bob", "Cid"];
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept" as const,
      content: { name: answers.shift() ?? "" },
    }));
    client.setRequestHandler("sampling/createMessage", () => ({
      model: "m",
      role: "assistant" as const,
      content: { type: "text" as const, text: "4" },
    }));
    const headers = { Authorization: `Bearer ${await stage.home.token()}` };
    await client.connect(
      kind === "stdio"
        ? new Stdio2(stdio())
        : new Http2(new URL(`${stage.home.url}/mcp`), { requestInit: { headers } }),
    );
    assert.equal(await call(client, "greet"), "Hello, Ann");
    assert.equal(await call(client, "greet_both"), "Bob and Cid");
    assert.equal(await call(client, "think"), "4");
    await client.close();
  });
}

test("a client that cannot be asked is told, and so is the server", async () => {
  const client = new Client1(INFO);
  await client.connect(new Stdio1(stdio()) as Transport1);
  const result = await client.callTool({ name: "mcp_call", arguments: { name: "greet", arguments: {} } });
  assert.equal(result.isError, true);
  assert.match(text(result), /does not take `elicitation` requests/u);
  await client.close();
});

test("a person confirms what cannot be undone, or does not", async () => {
  const { client, questions } = await legacy(["yes"]);
  assert.equal(await call(client, "wipe"), "wiped");
  const declined = await client.callTool({ name: "mcp_call", arguments: { name: "wipe", arguments: {} } });
  assert.deepEqual([declined.isError, text(declined)], [true, "the user declined"]);
  assert.equal(questions.length, 2);
  assert.match(questions[0] ?? "", /wipe/u);
  await client.close();
});

test("a client without a person is told how to confirm", async () => {
  const client = new Client1(INFO);
  await client.connect(new Stdio1(stdio()) as Transport1);
  const refused = await client.callTool({ name: "mcp_call", arguments: { name: "wipe", arguments: {} } });
  assert.equal(refused.isError, true);
  assert.match(text(refused), /confirm/u);
  assert.equal(
    text(await client.callTool({ name: "mcp_call", arguments: { name: "wipe", arguments: {}, confirm: true } })),
    "wiped",
  );
  await client.close();
});

test("text and logs of a page can be read as resources", async () => {
  const client = new Client1(INFO);
  await client.connect(new Stdio1(stdio()) as Transport1);
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri).filter((uri) => uri.includes("/bank/"));
  assert.deepEqual(
    uris,
    ["state", "text", "logs"].map((part) => `eye://session/bank/${part}`),
  );
  const read = async (part: string) => {
    const { contents } = await client.readResource({ uri: `eye://session/bank/${part}` });
    return contents[0] as { text: string; mimeType: string };
  };
  assert.deepEqual([(await read("text")).text.trim(), (await read("text")).mimeType], ["Bank", "text/plain"]);
  assert.match((await read("logs")).text, /low on ink/u);
  await assert.rejects(client.readResource({ uri: "eye://session/nobody/text" }), /nobody/u);
  await client.close();
});

test("the session over HTTP that was idle longest gives way to the one over the limit", async () => {
  const headers = {
    Authorization: `Bearer ${await stage.home.token()}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  const ask = (body: object, more: Record<string, string> = {}) =>
    fetch(`${stage.home.url}/mcp`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });
  const begin = async () => {
    const response = await ask({
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO },
    });
    await response.arrayBuffer();
    return response.headers.get("mcp-session-id") ?? "";
  };
  const ping = async (session: string) => (await ask({ method: "ping" }, { "Mcp-Session-Id": session })).status;
  const [first, second] = [await begin(), await begin()];
  for (let count = 2; count < 1024; count += 1) await begin();
  assert.equal(await ping(first), 200);
  await begin();
  assert.deepEqual([await ping(first), await ping(second)], [200, 404]);
});
