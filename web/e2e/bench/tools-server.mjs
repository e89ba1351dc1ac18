// A small MCP server with many tools, for counting their cost to a client. `node tools-server.mjs NAME` offers the
// tools of that server.

import { createInterface } from "node:readline";

const THINGS = {
  issues: ["issue", "comment", "label", "milestone", "project"],
  code: ["branch", "commit", "file", "pull_request", "release"],
  mail: ["message", "thread", "draft", "attachment", "contact"],
  files: ["folder", "document", "sheet", "permission", "revision"],
  calendar: ["event", "invitation", "reminder", "room", "availability"],
  deploys: ["service", "deployment", "log", "secret", "domain"],
  sales: ["customer", "invoice", "order", "refund", "subscription"],
  finance: ["account", "payment", "budget", "statement", "exchange_rate"],
};
const DEEDS = {
  get: ["Gets one %s by its id, with all of its fields.", { id: text("Which one.") }],
  list: [
    "Lists every %s, newest first, a page at a time.",
    { cursor: text("Where the page before ended."), limit: number("How many, at most 100.") },
  ],
  search: [
    "Searches every %s for words, with filters.",
    { query: text("What to look for."), since: text("Only after this day, ISO 8601."), limit: number("How many.") },
  ],
  create: [
    "Creates a %s and gives its id.",
    {
      title: text("What it is called."),
      body: text("What it says."),
      tags: { type: "array", items: { type: "string" }, description: "Labels to put on it." },
    },
  ],
  update: [
    "Changes fields of a %s; those that are left out stay.",
    { id: text("Which one."), title: text("What it is called now."), body: text("What it says now.") },
  ],
};

function text(description) {
  return { type: "string", description };
}

function number(description) {
  return { type: "integer", minimum: 1, description };
}

/** Some forty plausible tool names, 25 for each server; the task needs one of them. */
export function toolsOf(server) {
  const tools = THINGS[server].flatMap((thing) =>
    Object.entries(DEEDS).map(([deed, [sentence, properties]]) => ({
      name: `${deed}_${thing}`,
      description: sentence.replace("%s", thing.replace("_", " ")),
      inputSchema: {
        type: "object",
        properties,
        required: Object.keys(properties).slice(0, 1),
        additionalProperties: false,
      },
    })),
  );
  const rate = tools.find(({ name }) => name === "get_exchange_rate");
  if (rate !== undefined) {
    rate.description = "Gives the exchange rate of one currency in another, as of today.";
    rate.inputSchema = {
      type: "object",
      properties: { base: text("Three letters, such as EUR."), quote: text("Three letters, such as USD.") },
      required: ["base", "quote"],
      additionalProperties: false,
    };
  }
  return tools;
}

export const SERVERS = Object.keys(THINGS);

if (process.argv[1] === import.meta.filename) {
  const [, , server] = process.argv;
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize")
      answer(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: server, version: "1.0.0" },
      });
    else if (method === "tools/list") answer(id, { tools: toolsOf(server) });
    else if (method === "tools/call")
      answer(id, {
        content: [
          {
            type: "text",
            text: JSON.stringify({
              base: params.arguments.base,
              quote: params.arguments.quote,
              rate: 1.07,
              asOf: "2026-11-13",
              source: "reference",
            }),
          },
        ],
      });
    else if (id !== undefined)
      console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: `no method ${method}` } }));
  }
}
