// The definition of a page's tool. Everything but `execute` is sent to the hub and listed to agents unchanged.

export interface ToolContext {
  /** Aborts when the agent cancels, the call times out in the hub, or the connection is lost. */
  readonly signal: AbortSignal;
  progress(progress: number, total?: number, message?: string): void;
}

export interface Tool {
  /** 1 to 128 of `[A-Za-z0-9_.-]`. */
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of the arguments; the hub validates them before `execute` is called. */
  readonly inputSchema?: object;
  readonly annotations?: object;
  readonly [more: string]: unknown;
  // Method syntax, so that a page may declare the type of its arguments: the hub has validated them.
  execute(args: Record<string, unknown>, context: ToolContext): unknown;
}

export interface ToolOptions {
  /** Removes the tool when it aborts. */
  readonly signal?: AbortSignal | undefined;
}
