// Runs tools by name and holds their definitions, as btcp-client's executor does. It knows nothing of connections.

import { messageOf } from "../../wire/error.js";
import { toResult } from "../content.js";
import { BROWSER_TOOLS, type BrowserAgent } from "./browser-tools.js";
import {
  type BTCPContent,
  type BTCPToolDefinition,
  BTCPError,
  BTCPExecutionError,
  BTCPToolNotFoundError,
} from "./messages.js";

export type ToolHandler = { handle(args: Record<string, unknown>): unknown }["handle"];

const ECHO: BTCPToolDefinition = {
  name: "echo",
  description: "Echo a message back",
  inputSchema: { type: "object", properties: { message: { type: "string" } } },
};
const EVALUATE: BTCPToolDefinition = {
  name: "evaluate",
  description: "Run JavaScript where the client runs",
  inputSchema: { type: "object", properties: { script: { type: "string" }, code: { type: "string" } } },
  capabilities: ["code:execute"],
};

export class ToolExecutor {
  readonly #handlers = new Map<string, ToolHandler>();
  readonly #definitions = new Map<string, BTCPToolDefinition>();
  #browserAgent: BrowserAgent | null = null;

  constructor() {
    this.registerHandler("echo", ({ message }) => String(message ?? "No message provided"), ECHO);
    this.registerHandler("evaluate", ({ script, code }) => this.#evaluate(script ?? code), EVALUATE);
  }

  /** `definition` is what `getToolDefinitions` returns for it; without one, just the name. */
  registerHandler(name: string, handler: ToolHandler, definition?: BTCPToolDefinition): void {
    this.#handlers.set(name, handler);
    this.#definitions.set(name, definition ?? this.#definitions.get(name) ?? { name, inputSchema: { type: "object" } });
  }

  hasHandler(name: string): boolean {
    return this.#handlers.has(name);
  }

  setBrowserAgent(agent: BrowserAgent): void {
    this.#browserAgent = agent;
    for (const { definition, run } of BROWSER_TOOLS)
      this.registerHandler(definition.name, (args) => run(agent, args), definition);
  }

  getBrowserAgent(): BrowserAgent | null {
    return this.#browserAgent;
  }

  getToolDefinitions(): BTCPToolDefinition[] {
    return [...this.#definitions.values()];
  }

  async execute(name: string, args: Record<string, unknown> = {}): Promise<BTCPContent[]> {
    const handler = this.#handlers.get(name);
    if (handler === undefined) throw new BTCPToolNotFoundError(name);
    try {
      return [...toResult(await handler(args)).content] as BTCPContent[];
    } catch (error) {
      if (error instanceof BTCPToolNotFoundError) throw error;
      const data = { tool: name, args, originalError: messageOf(error) };
      const code = error instanceof BTCPError ? error.message : messageOf(error);
      throw new BTCPExecutionError(`Tool execution failed: ${code}`, data);
    }
  }

  #evaluate(script: unknown): unknown {
    if (typeof script !== "string" || script === "") throw new BTCPExecutionError("No script provided");
    // Indirect eval: the code sees the global scope only.
    return this.#browserAgent === null ? (0, eval)(script) : this.#browserAgent.evaluate(script);
  }
}
