// What a page says to offer a tool. Everything but `execute` is told to the hub and listed to agents as it is.

export interface ToolContext {
  /** Aborts when the agent cancels, the call times out in the hub, or the connection is lost. */
  readonly signal: AbortSignal;
  progress(progress: number, total?: number, message?: string): void;
}

export interface Tool {
  /** 1 to 128 of `[A-Za-z0-9_.-]`. */
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments; the hub checks them before `execute` sees them. */
  readonly inputSchema?: object;
  readonly annotations?: object;
  readonly [more: string]: unknown;
  // A method, so that a page may say what its arguments are: the hub has checked them.
  execute(args: Record<string, unknown>, context: ToolContext): unknown;
}

export interface ToolOptions {
  /** Takes the tool back when it aborts. */
  readonly signal?: AbortSignal | undefined;
}
