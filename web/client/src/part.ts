// What the core and a part that it loads later know of each other. The build keeps these names as they are.

import type { Tool, ToolOptions } from "./tool.js";

export interface Rpc {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What the core lends to a part. */
export interface Core {
  /** A JSON-RPC frame, or bytes as they are, to the hub; dropped when no connection works. */
  send(frame: object): void;
  /** A value as a typed answer without its id: `:text`, `=json`, `~rendering` or `!code message`. */
  render(value: unknown): string;
}

export interface Part {
  tool(tool: Tool, options?: ToolOptions): void;
  untool(name: string): void;
  /** Whether this frame of the hub was for this part, as it is now. */
  take(frame: Rpc): boolean;
  joined(): void;
  left(): void;
}

export interface PartModule {
  offer(core: Core): Part;
}
