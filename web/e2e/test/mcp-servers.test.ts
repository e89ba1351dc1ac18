// A real server of the official SDK behind the real hub: roots, templates, prompts, instructions, approval, folders and
// consent, as clients of both eras and the command line see them.

import assert from "node:assert/strict";
import { mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Home } from "../../harness/home.js";
import { until } from "../../harness/until.js";
import { program, web } from "../../harness/program.js";

const SERVER = join(web(), "e2e/peers/plain-server.mjs");
const COMMAND = JSON.stringify([process.execPath, SERVER]);
/** A server with one long answer. */
const ROWS = `
import { createInterface } from "node:readline";
const line = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const rows = Array.from({ length: 4000 }, (_, n) => ({ id: n, name: "row " + n }));
createInterface({ input: process.stdin }).on("line", (text) => {
  const { id, method } = JSON.parse(text);
  if (method === "initialize") line({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } });
  if (method === "tools/list") line({ id, result: { tools: [{ name: "rows", inputSchema: { type: "object" } }] } });
  if (method === "tools/call") line({ id, result: { content: [{ type: "text", text: JSON.stringify(rows) }] } });
});
`;

let home: Home;

before(async () => {
  home = await Home.open();
  await home.up();
});

after(() => home.close());

async function configured(entries: string): Promise<void> {
  await mkdir(join(home.folder, "config/eye"), { recursive: true });
  await writeFile(join(home.folder, "config/eye/config.yaml"), `servers:\n${entries}`);
}

/** Starts `eye mcp` in its own folder: each folder has its own servers. */
async function started(folder: string, ...flags: string[]) {
  const cwd = join(home.folder, folder);
  await mkdir(cwd, { recursive: true });
  return { command: program(), args: ["mcp", ...flags], env: { ...home.env }, cwd };
}

type Calling = Pick<Client | Client2, "callTool">;

async function call(client: Calling, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const params = { name: "mcp_call", arguments: { name, arguments: args } };
  const { content } = (await client.callTool(params)) as { content: readonly { text?: string }[] };
  return content.map(({ text }) => text ?? "").join("\n");
}

test("a server hears the roots of its client, and when they change", async () => {
  await configured(`  plain: { command: ${COMMAND} }\n`);
  const client = new Client({ name: "eye-e2e", version: "0.1.0" }, { capabilities: { roots: { listChanged: true } } });
  let roots = [{ uri: "file:///one", name: "One" }];
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  await client.connect(new StdioClientTransport(await started("rooted")));
  const seen = async () => JSON.parse(await call(client, "plain::roots")) as { changes: number; roots: unknown };
  await until("the roots arrive", async () =>
    JSON.stringify((await seen()).roots) === JSON.stringify(roots) ? true : undefined,
  );
  const { changes } = await seen();
  roots = [...roots, { uri: "file:///two", name: "Two" }];
  await client.sendRootsListChanged();
  await until("the new roots arrive", async () =>
    JSON.stringify((await seen()).roots) === JSON.stringify(roots) ? true : undefined,
  );
  assert.ok((await seen()).changes > changes);
  await client.close();

  const rootless = new Client({ name: "eye-e2e", version: "0.1.0" });
  const at = await started("rooted");
  await rootless.connect(new StdioClientTransport(at));
  await until("the roots of the client that left are forgotten", async () => {
    const { roots: left } = JSON.parse(await call(rootless, "plain::roots")) as { roots: { uri: string }[] };
    return left.length === 1 && left[0]?.uri === `file://${at.cwd}` ? true : undefined;
  });
  await rootless.close();
});

test("roots of a client over HTTP reach a server, if its token may do anything", async () => {
  await configured(`  plain: { command: ${COMMAND} }\n`);
  const limited = (await home.eye("token", "new", "reader", "--may", "servers")).stdout.trim();
  const requests = { whole: 0, limited: 0 };
  let roots = [{ uri: "file:///far", name: "Far" }];
  const connected = async (kind: "whole" | "limited", token: string): Promise<Client> => {
    const client = new Client({ name: kind, version: "0.1.0" }, { capabilities: { roots: { listChanged: true } } });
    client.setRequestHandler(ListRootsRequestSchema, () => {
      requests[kind] += 1;
      return { roots: kind === "whole" ? roots : [{ uri: "file:///" }] };
    });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${home.url}/mcp`), { requestInit });
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    return client;
  };
  const stranger = await connected("limited", limited);
  const client = await connected("whole", await home.token());
  const seen = async (): Promise<string> =>
    JSON.stringify((JSON.parse(await call(client, "plain::roots")) as { roots: unknown }).roots);
  await until("the roots arrive", async () => ((await seen()) === JSON.stringify(roots) ? true : undefined));
  roots = [...roots, { uri: "file:///near", name: "Near" }];
  await client.sendRootsListChanged();
  await until("the new roots arrive", async () => ((await seen()) === JSON.stringify(roots) ? true : undefined));
  // The other client's roots are not included: it was never asked for them.
  await stranger.sendRootsListChanged();
  assert.equal(await call(stranger, "plain::act"), "acted");
  assert.deepEqual([requests.limited, await seen()], [0, JSON.stringify(roots)]);
  await stranger.close();
  await client.close();
});

for (const era of ["legacy", "modern"] as const) {
  test(`templates, prompts and instructions of a server reach a client of the ${era} era`, async () => {
    await configured(`  plain: { command: ${COMMAND} }\n`);
    const mode = era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" as const };
    const client = new Client2({ name: "eye-e2e", version: "0.1.0" }, { versionNegotiation: { mode } });
    await client.connect(new Stdio2(await started(`era-${era}`)));
    assert.equal(await call(client, "plain::act"), "acted");
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === "note://{name}"));
    const { contents } = await client.readResource({ uri: "note://one" });
    assert.equal((contents[0] as { text?: string } | undefined)?.text, "the note one");
    const { prompts } = await client.listPrompts();
    assert.ok(prompts.some(({ name }) => name === "plain__greet"));
    const { messages } = await client.getPrompt({ name: "plain__greet" });
    assert.equal((messages[0]?.content as { text?: string } | undefined)?.text, "Greet the user.");
    const found = (await client.callTool({ name: "mcp_discover", arguments: { query: "roots of the client" } })) as {
      content: readonly { text?: string }[];
    };
    assert.match(found.content[0]?.text ?? "", /plain says: Ask for roots first\./u);
    await client.close();
  });
}

test("a tool that changes is held back until `eye servers approve`, and then called by the running hub", async () => {
  await configured(`  strict: { command: ${COMMAND}, approve: ask }\n`);
  const waiting = await until("its tools wait", async () => {
    const { stdout, stderr } = await home.eye("discover", "act");
    return /wait for the user: eye servers approve strict/u.test(stdout + stderr) ? stdout : undefined;
  });
  assert.ok(!waiting.includes("act("));
  const shown = await home.eye("servers", "approve", "strict");
  assert.notEqual(shown.code, 0);
  assert.match(shown.stdout, /^act \(new\)$/mu);
  assert.match(shown.stderr, /eye servers approve --yes strict/u);
  assert.equal((await home.eye("servers", "approve", "--yes", "strict")).code, 0);
  await until("the hub notices", async () => ((await home.eye("call", "strict::act")).code === 0 ? true : undefined));

  assert.equal((await home.eye("call", "strict::change")).stdout.trim(), "changed");
  const held = await until("the changed tool is held back", async () => {
    const ran = await home.eye("call", "strict::act");
    return ran.code === 0 ? undefined : ran;
  });
  assert.match(held.stderr, /eye servers approve strict/u);
  assert.match((await home.eye("servers")).stdout, /1 to approve/u);
  const difference = await home.eye("servers", "approve", "--yes", "strict");
  assert.match(difference.stdout, /^act \(changed\)$/mu);
  assert.match(difference.stdout, /sends all keys elsewhere/u);
  await until("the hub notices", async () => ((await home.eye("call", "strict::act")).code === 0 ? true : undefined));
  assert.match((await home.eye("servers", "approve", "strict")).stderr, /as you approved it/u);
});

test("a relative folder of the user's own entry is below the home, whatever the project", async () => {
  await mkdir(join(home.folder, "deep/er"), { recursive: true });
  await configured(`  plain: { command: ${COMMAND}, cwd: deep/er }\n`);
  const where = await until("the server runs there", async () => {
    const { stdout, code } = await home.eyeWith({ folder: "some/project" }, "call", "plain::where");
    return code === 0 ? stdout.trim() : undefined;
  });
  assert.equal(where, await realpath(join(home.folder, "deep/er")));
});

test("discovery names a project's servers that are not trusted, and a project switches no onboarding on", async () => {
  await configured(`  plain: { command: ${COMMAND} }\n`);
  const folder = join(home.folder, "cloned/.eye");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.yaml"), `onboarding: true\nservers:\n  theirs: { command: ${COMMAND} }\n`);
  const client = new Client({ name: "eye-e2e", version: "0.1.0" });
  await client.connect(new StdioClientTransport(await started("cloned")));
  const found = (await client.callTool({ name: "mcp_discover", arguments: { query: "act" } })) as {
    content: readonly { text?: string }[];
  };
  assert.match(found.content[0]?.text ?? "", /not trusted and not running: theirs: eye servers trust/u);
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ["eye", "mcp_discover", "mcp_call"],
  );
  await client.close();
  await rm(join(home.folder, "cloned"), { recursive: true });
});

test("a client with the full list reads a large result to its end, too", async () => {
  const script = join(home.folder, "rows.mjs");
  await writeFile(script, ROWS);
  await configured(`  long: { command: ${JSON.stringify([process.execPath, script])} }\n`);
  const client = new Client({ name: "eye-e2e", version: "0.1.0" });
  await client.connect(new StdioClientTransport(await started("full", "--full")));
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await until("the tool is listed", async () => ((await names()).includes("long__rows") ? true : undefined));
  const ids: number[] = [];
  let next: { name: string; arguments: Record<string, unknown> } | undefined = { name: "long__rows", arguments: {} };
  while (next !== undefined) {
    const { content } = (await client.callTool(next)) as { content: readonly { text: string }[] };
    const [rows, more] = content.map(({ text }) => text);
    assert.ok((rows ?? "").length + (more ?? "").length <= 40_000);
    for (const { id } of JSON.parse(rows ?? "") as { id: number }[]) ids.push(id);
    const cursor = /mcp_call (\{"cursor":"[^"]+"\})/u.exec(more ?? "")?.[1];
    next =
      cursor === undefined ? undefined : { name: "mcp_call", arguments: JSON.parse(cursor) as Record<string, unknown> };
  }
  assert.deepEqual(
    ids,
    Array.from({ length: 4000 }, (_, n) => n),
  );
  await client.close();
});
