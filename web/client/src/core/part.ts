// The interfaces between the core and the parts that it loads later. Parts do not import each other.

import type { Ability } from "./ability.js";
import type { Journal } from "./journal.js";
import type { StateOptions, StateSource } from "../state/source.js";
import type { Tool, ToolOptions } from "../tools/tool.js";
import type { Program } from "./program.js";
import type { Doing, Params, Verbs } from "../page/verb.js";
import type { Callable, ContextTool, Execute, ModelContext } from "../webmcp/context.js";

export interface Rpc {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A DevTools command that makes a trusted input event. */
export interface InputCommand {
  readonly method: "Input.dispatchMouseEvent" | "Input.dispatchKeyEvent" | "Input.insertText";
  readonly params: Readonly<Record<string, unknown>>;
}

export interface GivenFile {
  readonly name: string;
  readonly base64: string;
}

/**
 * Where files go: into a field, into the chooser that a click at a place opens, or dropped at a place of the top
 * document.
 */
export type FilesFor = Element | { readonly by: "chooser" | "drop"; readonly x: number; readonly y: number };

export interface Input {
  /** Sends commands together; resolves when the browser has executed all of them. */
  (commands: readonly InputCommand[]): Promise<void>;
  /** Whether it can give files. */
  readonly files: boolean;
  /** Gives files, as a person does by choosing or dropping them. */
  give(files: readonly GivenFile[], to: FilesFor): Promise<void>;
}

/** What was noticed in the page's own world during an act. */
export interface Witnessed {
  /** The browser's own dialogs, with their answers. */
  readonly asked: readonly string[];
  /** What the page tried that is allowed to people only. */
  readonly blocked: readonly string[];
  readonly errors: readonly string[];
}

/** Watches an act in the page's own world, and answers dialogs meanwhile. */
export interface Witness {
  /** The number of the page's requests in progress. */
  open(): number;
  /** Ends the watch; later calls return the same. */
  end(): Witnessed;
}

/** Replaces the browser's pointer capture while the pointer is not really pressed. */
export interface Capture {
  /** The element that has captured the pointer. */
  element(): Element | undefined;
  end(): void;
}

/** What an act needs from the world in which the page's own code runs. */
export interface PageWorld {
  /** `answers`: `accept` or `dismiss` for dialogs. `isReal`: the action counts as a person's. */
  witness(answers: Params, isReal: boolean): Witness;
  /** In the window of this element. */
  capture(within: Element): Capture;
}

/** What the core provides to a part. */
export interface Core {
  /** Sends a JSON-RPC frame, or bytes as they are, to the hub; dropped while disconnected. */
  send(frame: object): void;
  /** A value as a typed answer without its id: `:text`, `=json`, `~rendering` or `!code message`. */
  render(value: unknown): string;
  /** A failure as such an answer: `!code message`. */
  failure(code: number, message: string, hint?: string, stack?: string): string;
  /** Calls back once, after `ms`, in hidden tabs too. */
  after(ms: number, then: () => void): void;
  /**
   * Reports to every part that a call of the hub has run. Its answer must be sent in the same task. With `delta`, the
   * state is sent before it.
   */
  called(delta?: boolean): void;
  /** Another part, loaded on first use. */
  load<Name extends keyof Parts>(name: Name): Promise<Parts[Name]>;
  /** Why agents' code cannot run in the page; empty if it can. */
  readonly blocked: Ability["blocked"];
  /** Runs code; `undefined` if that is forbidden. */
  readonly run: ((code: string) => unknown) | undefined;
  readonly journal: Journal;
  readonly overheard: Overheard;
  /** The highest ref that this session has assigned, in this document or an earlier one. */
  lastRef: number;
  /** The URL that the document is leaving for; empty while it stays. */
  leaving: string;
  /** Attributes a navigation to the current call, if the browser does not report navigations. */
  departs(url: string): void;
  /** Real input, in a browser that eye drives. */
  readonly input: Input | undefined;
  /** The page's own world, if this code runs in another one. */
  readonly pageWorld?: PageWorld;
}

export interface Part {
  /** Returns whether this frame of the hub was for this part. */
  take?(frame: Rpc): boolean;
  joined?(): void;
  /** The hub has answered `hello`. */
  welcomed?(): void;
  left?(): void;
  /** Whether the state of the page has this revision now. */
  isAt?(revision: number): boolean;
  /** A call of the hub has run; its answer is sent before the next task, and with `delta` after the state. */
  called?(delta?: boolean): void;
}

export interface ToolsPart extends Required<Omit<Part, "called" | "welcomed" | "isAt">> {
  /** `heard`: the browser has the tool already. */
  tool(tool: Tool, options?: ToolOptions, heard?: boolean): void;
  untool(name: string): void;
}

export interface StatePart extends Required<Omit<Part, "welcomed">> {
  state(source: StateSource, options?: StateOptions): void;
  changed(): void;
  /** The response to `state/get`; `undefined` while nothing is published. */
  answer(id: string | number): object | undefined;
}

export interface VerbsPart extends Part {
  /**
   * The answer to a request that the core does not handle: typed like an `eval`'s, or a whole response. Never rejects.
   */
  reply(frame: Rpc, doing: Doing): Promise<string | object>;
  /** What `eye.NAME(...args)` returns in the page. */
  ask(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** The window of a same-origin frame, or a typed answer with the reason why there is none. */
  frame(name: string): (Window & typeof globalThis) | string;
  readonly thrown: Thrown;
}

/** An error as a typed answer. Never rejects. */
export type Thrown = (
  error: unknown,
  code: string,
  program: Program | undefined,
  trustUrl: (url: string) => string,
) => Promise<string>;

export interface HandsPart extends Part {
  readonly verbs: Verbs;
  /** The line of the first visible element that matches a target; `undefined` while there is none. */
  seen(target: unknown, frame?: unknown): string | undefined;
}

export interface WebMcpPart extends Part {
  /** Calls that the stand-in got before the part was loaded. */
  ask(name: string, args: readonly unknown[]): unknown;
  /** The page is about to register a tool; `stack` shows where. */
  before(tool: Callable, stack: string | undefined): void;
  /**
   * The page has registered a tool, until `signal` aborts, provided that `done` does not reject. `gone` aborts
   * `signal`.
   */
  heard(tool: Callable, signal: AbortSignal, gone: AbortController, done: unknown, stack: string | undefined): void;
  /** Offers a tool of `eye.tool` to the browser too. */
  mirror(definition: ContextTool, execute: Execute, signal: AbortSignal): void;
}

/** Calls that wait for the part `webmcp`. */
export interface Overheard extends Array<(part: WebMcpPart) => void> {
  /** Set by the part; called before the browser gets a tool. */
  before?: WebMcpPart["before"];
  standIn?: ModelContext | undefined;
}

export type Offer<Kind extends Part = Part> = (core: Core) => Kind;

/** Every part, by the name of its file. */
export interface Parts {
  readonly tools: ToolsPart;
  readonly state: StatePart;
  readonly verbs: VerbsPart;
  readonly hands: HandsPart;
  readonly webmcp: WebMcpPart;
}

/** Loads a part, on its first use. */
export type LoadPart = <Name extends keyof Parts>(name: Name, hub: URL) => Promise<Offer<Parts[Name]>>;
