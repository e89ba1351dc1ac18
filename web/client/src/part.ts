// What the core and a part that it loads later know of each other. The build keeps these names as they are.

import type { StateOptions, StateSource } from "./source.js";
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
  /** Calls back once, after `ms`, in hidden tabs too. */
  after(ms: number, then: () => void): void;
  /** Tells every part that a call of the hub has run. Its answer is to be sent in the same task. */
  called(): void;
}

export interface Part {
  /** Whether this frame of the hub was for this part, as it is now. */
  take(frame: Rpc): boolean;
  joined(): void;
  left(): void;
  /** A call of the hub has run; its answer leaves before the next task. */
  called?(): void;
}

export interface ToolsPart extends Part {
  tool(tool: Tool, options?: ToolOptions): void;
  untool(name: string): void;
}

export interface StatePart extends Part {
  state(source: StateSource, options?: StateOptions): void;
  changed(): void;
  called(): void;
}

export interface PartModule<Kind extends Part = Part> {
  offer(core: Core): Kind;
}

/** Every part, by the name of its file. */
export interface Parts {
  readonly tools: ToolsPart;
  readonly state: StatePart;
}

/** How a part is got, on its first use. */
export type LoadPart = <Name extends keyof Parts>(name: Name, hub: URL) => Promise<PartModule<Parts[Name]>>;
