// One global object that code can run in: the page's own, or a same-origin frame's. It compiles and runs text, and
// knows nothing of its meaning.

export type Compiled = (this: unknown) => unknown;
type Constructor = new (body: string) => Compiled;
export type Trust = (code: string) => string;

export interface Realm {
  /** Runs text as a script and returns its completion value. */
  run(code: string): unknown;
  /** Whether text compiles as the body of a function. Nothing runs. */
  compiles(body: string, async: boolean): boolean;
  /** The async function with this body, which has two lines before it. */
  compile(body: string): Compiled;
  /** Names that agents declared here, which they may declare again. */
  readonly declared: Set<string>;
  /** Whether a declaration of this name would overwrite something that no agent made. */
  owns(name: string): boolean;
}

/** Throws if text may not run as code. */
export function realmOf(global: typeof globalThis, trust: Trust | undefined): Realm {
  const indirect = global.eval;
  const run = trust === undefined ? indirect : (code: string) => indirect(trust(code)) as unknown;
  const Plain = run("Function") as Constructor;
  const Async = run("(async()=>{}).constructor") as Constructor;
  const declared = new Set<string>();
  // Chromium's function constructors do not accept trusted scripts, its eval does.
  const compile = (body: string): Compiled =>
    trust === undefined ? new Async(body) : (run(source(body, true)) as Compiled);
  return {
    run,
    compile,
    declared,
    compiles(body, async) {
      try {
        // A script is compiled whole before its `throw` runs.
        if (trust !== undefined) run(`throw 0;${source(body, async)}`);
        else if (async) compile(body);
        else new Plain(body);
        return true;
      } catch (error) {
        return error === 0;
      }
    },
    owns: (name) => Object.hasOwn(global, name) && !declared.has(name),
  };
}

function source(body: string, async: boolean): string {
  return `(${async ? "async " : ""}function(\n) {\n${body}\n})`;
}
