// The interfaces between the core and the parts that it loads later. No part imports another.

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

/** A command of the DevTools protocol that makes an event as a person does. */
export interface InputCommand {
  readonly method: "Input.dispatchMouseEvent" | "Input.dispatchKeyEvent" | "Input.insertText";
  readonly params: Readonly<Record<string, unknown>>;
}

/** A file for the page, with its content. */
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
  /** Sends commands together; resolves when the browser has done all of them. */
  (commands: readonly InputCommand[]): Promise<void>;
  /** Whether it can give files. */
  readonly files: boolean;
  /** Gives files, as a person who chooses or drops them. */
  give(files: readonly GivenFile[], to: FilesFor): Promise<void>;
}

/** What the page's own world has noticed of an act. */
export interface Witnessed {
  /** The browser's own questions, with what was answered. */
  readonly asked: readonly string[];
  /** What the page tried that is allowed to people only. */
  readonly blocked: readonly string[];
  /** What the page logged as errors. */
  readonly errors: readonly string[];
}

/** Watches an act in the page's own world, and answers the browser's questions meanwhile. */
export interface Witness {
  /** How many requests of the page are under way. */
  open(): number;
  /** Ends it, once. */
  end(): Witnessed;
}

/** Stands for the browser where an element wants to hold a pointer that is not really pressed. */
export interface Capture {
  /** The one that holds it. */
  element(): Element | undefined;
  end(): void;
}

/** What an act needs of the world in which the page's own code runs. */
export interface PageWorld {
  /** `answers`: `accept` or `dismiss` for the browser's questions. `isReal`: what is done counts as a person's. */
  witness(answers: Params, isReal: boolean): Witness;
  /** In the window of this element. */
  capture(within: Element): Capture;
}

/** What the core lends to a part. */
export interface Core {
  /** A JSON-RPC frame, or bytes as they are, to the hub; dropped when no connection works. */
  send(frame: object): void;
  /** A value as a typed answer without its id: `:text`, `=json`, `~rendering` or `!code message`. */
  render(value: unknown): string;
  /** A failure as such an answer: `!code message`. */
  failure(code: number, message: string, hint?: string, stack?: string): string;
  /** Calls back once, after `ms`, in hidden tabs too. */
  after(ms: number, then: () => void): void;
  /**
   * Tells every part that a call of the hub has run. Its answer is to be sent in the same task. With `delta` the state
   * leaves before it.
   */
  called(delta?: boolean): void;
  /** Another part, loaded on its first use. */
  load<Name extends keyof Parts>(name: Name): Promise<Parts[Name]>;
  /** Why an agent's code cannot run in the page; empty if it can. */
  readonly blocked: Ability["blocked"];
  /** Runs it; missing where that is forbidden. */
  readonly run: ((code: string) => unknown) | undefined;
  readonly journal: Journal;
  readonly overheard: Overheard;
  /** The highest ref that this session has given, in this document or one before it. */
  lastRef: number;
  /** Where the document is about to go; empty while it stays. */
  leaving: string;
  /** Says that the call that runs leads there, where the browser tells of no navigation. */
  departs(url: string): void;
  /** Real input, where a browser that eye drives has the page. */
  readonly input: Input | undefined;
  /** Where this runs in another world than the page's own code: the way to that. */
  readonly pageWorld?: PageWorld;
}

export interface Part {
  /** Whether this frame of the hub was for this part, as it is now. */
  take?(frame: Rpc): boolean;
  joined?(): void;
  /** The hub has answered `hello`. */
  welcomed?(): void;
  left?(): void;
  /** Whether the state is at this revision of the page, looked at now. */
  isAt?(revision: number): boolean;
  /** A call of the hub has run; its answer leaves before the next task, with `delta` after the state. */
  called?(delta?: boolean): void;
}

export interface ToolsPart extends Required<Omit<Part, "called" | "welcomed" | "isAt">> {
  /** `heard`: the browser has it already. */
  tool(tool: Tool, options?: ToolOptions, heard?: boolean): void;
  untool(name: string): void;
}

export interface StatePart extends Required<Omit<Part, "welcomed">> {
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
  /** The window of a same-origin frame, or the typed answer that says why there is none. */
  frame(name: string): (Window & typeof globalThis) | string;
  readonly thrown: Thrown;
}

/** As a typed answer. Never rejects. */
export type Thrown = (
  error: unknown,
  code: string,
  program: Program | undefined,
  trustUrl: (url: string) => string,
) => Promise<string>;

export interface HandsPart extends Part {
  readonly verbs: Verbs;
  /** The line of the first visible element that a target means; `undefined` while there is none. */
  seen(target: unknown, frame?: unknown): string | undefined;
}

export interface WebMcpPart extends Part {
  /** What the stand-in was asked before it was whole. */
  ask(name: string, args: readonly unknown[]): unknown;
  /** The page is about to register a tool; `stack` says from where. */
  before(tool: Callable, stack: string | undefined): void;
  /** It has: until `signal` aborts, which `gone` makes it do, if `done` does not reject. */
  heard(tool: Callable, signal: AbortSignal, gone: AbortController, done: unknown, stack: string | undefined): void;
  /** A tool of `eye.tool`, for the browser too. */
  mirror(told: ContextTool, execute: Execute, signal: AbortSignal): void;
}

/** What waits for the part `webmcp`. */
export interface Overheard extends Array<(part: WebMcpPart) => void> {
  /** Of the part, before the browser hears of a tool. */
  before?: WebMcpPart["before"];
  standIn?: ModelContext | undefined;
}

/** Makes a part. */
export type Offer<Kind extends Part = Part> = (core: Core) => Kind;

/** Every part, by the name of its file. */
export interface Parts {
  readonly tools: ToolsPart;
  readonly state: StatePart;
  readonly verbs: VerbsPart;
  readonly hands: HandsPart;
  readonly webmcp: WebMcpPart;
}

/** How a part is got, on its first use. */
export type LoadPart = <Name extends keyof Parts>(name: Name, hub: URL) => Promise<Offer<Parts[Name]>>;
