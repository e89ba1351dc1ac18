// What the core and a part that it loads later know of each other. The build keeps these names as they are.

import type { Journal } from "./journal.js";
import type { ActPart } from "./act/part.js";
import type { Log } from "./logs.js";
import type { LookPart } from "./look/part.js";
import type { StateOptions, StateSource } from "./source.js";
import type { Tool, ToolOptions } from "./tool.js";
import type { ThrownPart } from "./thrown.js";
import type { TopicsPart } from "./topics.js";
import type { Doing } from "./verb.js";

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
  /** Tells every part that a call of the hub has run. Its answer is to be sent in the same task. With `delta` the state leaves before it. */
  called(delta?: boolean): void;
  /** Another part, loaded on its first use. */
  load<Name extends keyof Parts>(name: Name): Promise<Parts[Name]>;
  /** Runs an agent's code in the page; throws `refusal`, a typed answer, where that is forbidden. */
  run(code: string): unknown;
  readonly journal: Journal;
}

export interface Part {
  /** Whether this frame of the hub was for this part, as it is now. */
  take?(frame: Rpc): boolean;
  joined?(): void;
  left?(): void;
  /** A call of the hub has run; its answer leaves before the next task, with `delta` after the state. */
  called?(delta?: boolean): void;
}

export interface ToolsPart extends Required<Omit<Part, "called">> {
  tool(tool: Tool, options?: ToolOptions): void;
  untool(name: string): void;
}

export interface StatePart extends Required<Part> {
  state(source: StateSource, options?: StateOptions): void;
  changed(): void;
  /** The response to `state/get`; `undefined` while there is nothing to publish. */
  answer(id: string | number): object | undefined;
}

export interface VerbsPart extends Part {
  /** The answer to a request that the core does not know: typed as an `eval`'s, or a whole response. Never rejects. */
  reply(frame: Rpc, doing: Doing): Promise<string | object>;
  /** What `eye.NAME(...args)` gives in the page. */
  ask(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** What the page logged after entry number `n`. */
  logged(n: number): Log[];
  /** The window of a same-origin frame, or the typed answer that says why there is none. */
  frame(name: string): (Window & typeof globalThis) | string;
}

export interface PartModule<Kind extends Part = Part> {
  offer(core: Core): Kind;
}

/** Every part, by the name of its file. */
export interface Parts {
  readonly tools: ToolsPart;
  readonly state: StatePart;
  readonly thrown: ThrownPart;
  readonly verbs: VerbsPart;
  readonly topics: TopicsPart;
  readonly look: LookPart;
  readonly act: ActPart;
}

/** How a part is got, on its first use. */
export type LoadPart = <Name extends keyof Parts>(name: Name, hub: URL) => Promise<PartModule<Parts[Name]>>;
