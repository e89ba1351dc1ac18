// A real MCP server of the legacy era that asks its client something before it answers, and logs in the meantime.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "asking", version: "1.0.0" }, { capabilities: { logging: {} } });
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

server.registerTool("greet", { description: "Asks for a name and greets it." }, async () => {
  await server.server.sendLoggingMessage({ level: "warning", logger: "asking", data: "about to ask" });
  const { action, content } = await server.server.elicitInput({ message: "Who are you?", requestedSchema: form });
  return { content: [{ type: "text", text: action === "accept" ? `Hello, ${content.name}` : `Nobody: ${action}` }] };
});

server.registerTool("greet_both", { description: "Asks twice." }, async () => {
  const names = [];
  for (const message of ["Who are you?", "And who else?"]) {
    const { content } = await server.server.elicitInput({ message, requestedSchema: form });
    names.push(content.name);
  }
  return { content: [{ type: "text", text: names.join(" and ") }] };
});

server.registerTool("think", { description: "Has a model of the client think." }, async () => {
  const { content } = await server.server.createMessage({
    messages: [{ role: "user", content: { type: "text", text: "2+2" } }],
    maxTokens: 5,
  });
  return { content: [{ type: "text", text: content.text }] };
});

await server.connect(new StdioServerTransport());
