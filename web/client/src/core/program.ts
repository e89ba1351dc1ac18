// Turns an agent's code into a program that runs once and returns the value that a console would show. Code is only
// changed where a scanner and the engine's own compiler agree that the change is safe.

import { goesOn, hasNoValue, isBranched, returnBranches } from "./completion.js";
import { declarations, startsStatement, type Declaration } from "./declarations.js";
import { editsOf, type Edits } from "./edits.js";
import { CUT_TRIES_MAX, PROGRAM_CHARS_KEPT_MAX, PROGRAMS_KEPT_MAX } from "./limits.js";
import type { Made } from "./origin.js";
import type { Compiled, Realm } from "./realm.js";
import { scan, type Scan, type Token } from "./scan.js";

export interface Program extends Made {
  /** The `sourceURL`, which positions in a stack carry; empty for code of one line, which needs no positions. */
  readonly name: string;
  /** Declared names that were the page's own when the program was made: the code shadows them. */
  readonly shadowed: string;
  readonly declares: readonly Declaration[];
  readonly async: boolean;
  run(): unknown;
}

const WORTH_A_SCAN = /\b(?:await|let|const|class|var|function)\b|^\s*(?:\{|\/[/*])|\n/;

/** The constructor of async functions adds two lines before the body. */
const CONSTRUCTOR_LINES = 2;

let names = 0;

/** The latest programs of each realm; the newest are last. */
const compiled = new WeakMap<Realm, Map<string, Program>>();

/** `undefined` for code that an indirect eval can run unchanged, which is most code of agents. */
export function program(realm: Realm, code: string): Program | undefined {
  if (!WORTH_A_SCAN.test(code)) return undefined;
  const programs = programsOf(realm);
  const kept = programs.get(code);
  if (kept !== undefined && kept.shadowed === shadowed(realm, kept.declares)) {
    programs.delete(code);
    programs.set(code, kept);
    return kept;
  }
  const made = make(realm, code);
  if (code.length <= PROGRAM_CHARS_KEPT_MAX) {
    programs.set(code, made);
    const [oldest] = programs.keys();
    if (oldest !== undefined && programs.size > PROGRAMS_KEPT_MAX) programs.delete(oldest);
  }
  return made;
}

function programsOf(realm: Realm): Map<string, Program> {
  const programs = compiled.get(realm) ?? new Map<string, Program>();
  compiled.set(realm, programs);
  return programs;
}

/** Runs code; returns its value or a promise of it. */
export function run(realm: Realm, code: string): unknown {
  return (program(realm, code) ?? { run: () => realm.run(code) }).run();
}

function make(realm: Realm, code: string): Program {
  const found = scanned(code);
  const declares = found === undefined ? [] : declarations(found.tokens);
  const name = code.includes("\n") ? `eye-${++names}` : "";
  const takes = declares
    .filter((one) => !isShadow(realm, one))
    .flatMap((one) => one.names)
    .filter((one) => !realm.owns(one));
  const parts = { realm, code, declares, takes, name, shadowed: shadowed(realm, declares) };
  if (found === undefined) return script(parts, editsOf(code));
  return found.awaits ? asyncProgram(parts, found) : scriptProgram(parts, found);
}

interface Parts {
  readonly realm: Realm;
  readonly code: string;
  readonly declares: readonly Declaration[];
  /** Names that this code may declare as globals. */
  readonly takes: readonly string[];
  readonly name: string;
  readonly shadowed: string;
}

function scanned(code: string): Scan | undefined {
  try {
    return scan(code);
  } catch {
    return undefined;
  }
}

function shadowed(realm: Realm, declares: readonly Declaration[]): string {
  return declares
    .filter((one) => isShadow(realm, one))
    .flatMap((one) => one.names)
    .join();
}

function isLexical(one: Declaration): boolean {
  return one.kind === "let" || one.kind === "const" || one.kind === "class";
}

function isShadow(realm: Realm, one: Declaration): boolean {
  return isLexical(one) && one.names.some((name) => realm.owns(name));
}

/** A name that is declared again without a value must be undefined again; the `;` separates it from the next line. */
function clear(one: Declaration, edits: Edits): void {
  const value = one.kind === "var" ? "" : "=void 0";
  for (const { end, last } of one.bare) edits.insert(end, last ? `${value};` : value);
}

function withUrl(code: string, name: string): string {
  return name === "" ? code : `${code}\n//# sourceURL=${name}`;
}

function isStrict(tokens: readonly Token[]): boolean {
  const first = tokens[0];
  return first?.kind === "string" && first.text.slice(1, -1) === "use strict";
}

function traced({ sorted }: Edits, written: string, linesBefore: number): Omit<Made, "code"> {
  return { sorted, written, linesBefore };
}

function script(parts: Parts, edits: Edits): Program {
  const written = withUrl(edits.apply(), parts.name);
  return {
    ...parts,
    ...traced(edits, written, 0),
    async: false,
    run: () => {
      for (const name of parts.takes) parts.realm.declared.add(name);
      return parts.realm.run(written);
    },
  };
}

function scriptProgram(parts: Parts, { tokens }: Scan): Program {
  const { realm, code, declares } = parts;
  const edits = editsOf(code);
  if (tokens[0]?.text === "{" && tokens.at(-1)?.text === "}") {
    // As in a console: an object literal if it compiles as one, else a block.
    edits.insert(0, "(");
    edits.insert(code.length, "\n)");
    if (realm.compiles(`return${edits.apply()}`, false)) return script(parts, edits);
    return script(parts, editsOf(code));
  }
  // A strict script keeps its declarations to itself.
  if (isStrict(tokens)) return script({ ...parts, takes: [] }, edits);
  for (const one of declares) {
    if (!isLexical(one) || isShadow(realm, one)) continue;
    if (one.kind === "class") {
      edits.insert(one.first.start, `var ${one.names.join()}=`);
      edits.insert(one.end, ";");
    } else {
      edits.replace(one.first.start, one.first.end, "var");
      clear(one, edits);
    }
  }
  const safe = edits.sorted.length === 0 || (realm.compiles(code, false) && realm.compiles(edits.apply(), false));
  return script(parts, safe ? edits : editsOf(code));
}

function asyncProgram(parts: Parts, found: Scan): Program {
  const { realm, code, declares } = parts;
  const strict = isStrict(found.tokens);
  const edits = editsOf(code);
  const globals: string[] = [];
  const taken = declares.filter((one) => !isShadow(realm, one));
  const functions = taken.filter((one) => one.kind === "function").flatMap((one) => one.names);
  const prologue = (strict ? "'use strict';" : "") + functions.map((name) => `globalThis.${name}=${name};`).join("");
  // Inserted first, since the first declaration may begin at the same position.
  if (prologue !== "") edits.insert(0, prologue);
  for (const one of taken) {
    const list = one.names.join();
    if (one.kind === "class") {
      globals.push(list);
      edits.insert(one.first.start, `;0,${list}=`);
      edits.insert(one.end, ";");
    } else if (one.kind !== "function") {
      globals.push(list);
      // The `0,` lets a destructuring pattern stand where a statement could not begin with one.
      edits.replace(one.first.start, one.first.end, ";0,");
      clear(one, edits);
    }
  }
  const valid = realm.compiles(code, true);
  const edited = valid ? returning(realm, found.tokens, edits) : undefined;
  const body = edited ?? (valid ? returning(realm, found.tokens, editsOf(code)) : undefined) ?? editsOf(code);
  const written = withUrl(body.apply(), parts.name);
  const before = globals.length === 0 || edited === undefined ? "" : `var ${globals.join()}`;
  let compiled: Compiled | undefined;

  return {
    ...parts,
    ...traced(body, written, CONSTRUCTOR_LINES),
    async: true,
    run: () => {
      // A syntax error is thrown here, in the engine's words about the agent's own code.
      compiled ??= realm.compile(written);
      if (before !== "") realm.run(before);
      for (const name of parts.takes) realm.declared.add(name);
      return compiled.call(undefined);
    },
  };
}

/**
 * Code as the body of an async function that returns its last statement, if that is an expression or has branches that
 * end with one.
 */
function returning(realm: Realm, tokens: readonly Token[], edits: Edits): Edits | undefined {
  const compiles = (cut: Edits): boolean => realm.compiles(cut.apply(), true);
  let last = tokens.length;
  while (tokens[last - 1]?.text === ";") last--;
  const end = tokens[last - 1]?.end ?? 0;
  const all = cutAt(edits, 0, end);
  if (tokens[0]?.text === "{" && compiles(all)) return all;

  let tries = 0;
  for (let at = last - 1; at >= 0 && tries < CUT_TRIES_MAX; at--) {
    const token = tokens[at];
    if (token === undefined || token.depth !== 0 || !startsStatement(tokens, at)) continue;
    if (goesOn(token)) continue;
    const branched = isBranched(token);
    if (!branched && hasNoValue(token, tokens[at + 1])) break;
    tries++;
    if (at > 0 && !realm.compiles(edits.apply(token.start), true)) continue;
    if (branched) {
      const returned = edits.copy();
      if (returnBranches(realm, tokens, at, last, returned) && compiles(returned)) return returned;
      break;
    }
    const cut = cutAt(edits, token.start, end);
    if (compiles(cut)) return cut;
  }
  return compiles(edits) ? edits : undefined;
}

function cutAt(edits: Edits, start: number, end: number): Edits {
  const cut = edits.copy();
  cut.insert(start, ";return(");
  // After the last statement there are only `;`, space and comments.
  cut.replace(end, edits.original.length, "\n)");
  return cut;
}
