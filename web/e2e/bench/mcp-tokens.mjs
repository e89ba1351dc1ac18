// The cost of a whole task for an MCP client in o200k tokens, with three tools for everything and with all 200 listed:
// find the tool that knows an exchange rate, call it, and use the number. `node bench/mcp-tokens.mjs`; EYE_BIN names
// eye.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "../../harness/load.mjs";
import { percent, table } from "./table.mjs";
import { SERVERS } from "./tools-server.mjs";

const { Home } = await load("harness/home.js");
const ARGS = { base: "EUR", quote: "USD" };

/** Connects a client as an editor would. Its servers are those of the project's config. */
async function connect(home, folder, ...flags) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.env.EYE_BIN, args: ["mcp", ...flags], env: home.env, cwd: folder }),
  );
  return client;
}

/** One step of a conversation: counts the tokens that the model writes and reads. */
async function step(client, spent, name, args) {
  const { content } = await client.callTool({ name, arguments: args });
  spent.calls += 1;
  spent.written += countTokens(JSON.stringify({ name, arguments: args }));
  spent.read += countTokens(content[0].text);
  return content[0].text;
}

async function listed(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

const home = await Home.open();
try {
  const folder = join(home.folder, "project");
  const user = join(home.folder, "config/eye");
  await mkdir(folder, { recursive: true });
  await mkdir(user, { recursive: true });
  const servers = SERVERS.map(
    (name) =>
      `  ${name}:\n    command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(join(import.meta.dirname, "tools-server.mjs"))}, ${name}]\n`,
  );
  await writeFile(join(user, "config.yaml"), `servers:\n${servers.join("")}`);

  const sparse = await connect(home, folder);
  const few = { list: countTokens(JSON.stringify(await listed(sparse))), calls: 0, written: 0, read: 0 };
  // Servers are started before anything is counted: a discovery answers at once and names those that are still
  // starting.
  for (let text = "is starting"; text.includes("is starting"); )
    text = (await sparse.callTool({ name: "mcp_discover", arguments: { query: "x" } })).content[0].text;
  const found = await step(sparse, few, "mcp_discover", { query: "exchange rate" });
  assert.match(found, /get_exchange_rate\(base: string, quote: string\)/);
  assert.equal(
    await step(sparse, few, "mcp_call", { name: "get_exchange_rate", arguments: ARGS, select: "$.rate" }),
    "1.07",
  );
  await sparse.close();

  const full = await connect(home, folder, "--full");
  const tools = await listed(full);
  const rate = tools.find(({ name }) => name.endsWith("get_exchange_rate"));
  assert.ok(tools.length >= 200 && rate !== undefined, `${tools.length} tools are listed`);
  const many = { list: countTokens(JSON.stringify(tools)), calls: 0, written: 0, read: 0 };
  assert.match(await step(full, many, rate.name, ARGS), /1\.07/);
  await full.close();

  const row = (name, { list, calls, written, read }) => [name, list, calls, written, read, list + written + read];
  table(
    `A tool among ${tools.length}: found, called, used (o200k tokens)`,
    ["mode", "tools/list", "calls", "written", "read", "whole task"],
    [row("three tools", few), row("all listed", many)],
  );
  const total = ({ list, written, read }) => list + written + read;
  console.log(
    `\nOne discovery: ${countTokens(found)} tokens. The whole task with three tools costs ${percent(total(few), total(many))} of what it costs with all of them listed,`,
  );
  console.log("the list counted once; a client that sends its list with every turn pays it once more for every call.");
  assert.ok(total(few) < total(many), "sparse wins on the whole task");
} finally {
  await home.close();
}
