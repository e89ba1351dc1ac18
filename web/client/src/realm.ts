// One global object that code can run in: the page's own, or a same-origin frame's.
// It knows how to compile and run text there, and nothing about what the text means.

import type { Program } from "./program.js";

export type Compiled = (this: unknown) => unknown;
type Constructor = new (body: string) => Compiled;
export type Trust = (code: string) => string;

export class Realm {
  /** Runs text as a script and returns its completion value. */
  readonly run: (code: string) => unknown;
  readonly #Function: Constructor;
  readonly #AsyncFunction: Constructor;
  readonly #trusted: boolean;
  /** Names that agents declared here: theirs to declare again. */
  readonly declared = new Set<string>();
  readonly programs = new Map<string, Program>();

  constructor(
    readonly global: typeof globalThis,
    trust: Trust | undefined,
  ) {
    const indirect = global.eval;
    this.#trusted = trust !== undefined;
    this.run = trust === undefined ? indirect : (code) => indirect(trust(code)) as unknown;
    this.#Function = this.run("Function") as Constructor;
    this.#AsyncFunction = this.run("(async()=>{}).constructor") as Constructor;
  }

  /** Whether text compiles as the body of a function. Nothing of it runs. */
  compiles(body: string, async: boolean): boolean {
    try {
      // A script that throws before anything else is compiled whole.
      if (this.#trusted) this.run(`throw 0;${source(body, async)}`);
      else if (async) this.compile(body);
      else new this.#Function(body);
      return true;
    } catch (error) {
      return error === 0;
    }
  }

  /** The async function with this body, which has two lines before it. */
  compile(body: string): Compiled {
    // Chromium's function constructors take no trusted text, its eval does.
    return this.#trusted ? (this.run(source(body, true)) as Compiled) : new this.#AsyncFunction(body);
  }

  /** Whether a declaration of this name would overwrite something that no agent made. */
  owns(name: string): boolean {
    return Object.prototype.hasOwnProperty.call(this.global, name) && !this.declared.has(name);
  }
}

function source(body: string, async: boolean): string {
  return `(${async ? "async " : ""}function(\n) {\n${body}\n})`;
}
