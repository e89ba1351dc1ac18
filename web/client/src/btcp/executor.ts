// Runs tools by name. It knows nothing of connections.

import { CODE_INTERNAL, CODE_METHOD } from "../generated/protocol.js";
import { EyeError, messageOf } from "../wire/error.js";
import type { ToolContext } from "../tools/tool.js";
import { toResult, type ToolResult } from "./content.js";

// Method syntax makes the parameters bivariant, so that a handler may declare narrower argument types.
export type ToolHandler = { handle(args: Record<string, unknown>, context: ToolContext): unknown }["handle"];

export class ToolExecutor {
  readonly #handlers = new Map<string, ToolHandler>([["echo", ({ message }) => message]]);

  registerHandler(name: string, handler: ToolHandler): void {
    this.#handlers.set(name, handler);
  }

  has(name: string): boolean {
    return this.#handlers.has(name);
  }

  /** Rejects with -32601 for an unknown tool and -32603 for one that throws, as BTCP specifies. */
  async execute(name: string, args: Record<string, unknown> = {}, context: ToolContext = idle()): Promise<ToolResult> {
    const handler = this.#handlers.get(name);
    if (handler === undefined) throw new EyeError(CODE_METHOD, `Tool not found: ${name}`);
    try {
      return toResult(await handler(args, context));
    } catch (error) {
      const stack = error instanceof Error ? error.stack : undefined;
      throw new EyeError(CODE_INTERNAL, `Tool execution failed: ${messageOf(error)}`, { stack, cause: error });
    }
  }
}

function idle(): ToolContext {
  return { signal: new AbortController().signal, progress: () => undefined };
}
