// Finds the top-level declarations of code, from tokens: their names and positions. What to do with them is up to the
// caller.

import type { Token } from "./scan.js";

export interface Declaration {
  readonly kind: "let" | "const" | "var" | "class" | "function";
  readonly names: readonly string[];
  /** The first token of the declaration. */
  readonly first: Token;
  /** Names without an initial value: where each ends, and whether it is the last of the declaration. */
  readonly bare: readonly { readonly end: number; readonly last: boolean }[];
  /** For a class: the end of its body. */
  readonly end: number;
}

export function declarations(tokens: readonly Token[]): Declaration[] {
  const found: Declaration[] = [];
  tokens.forEach((token, index) => {
    if (token.depth !== 0 || token.kind !== "word" || !beginsStatement(tokens, index)) return;
    const declaration = declarationAt(tokens, index);
    if (declaration !== undefined) found.push(declaration);
  });
  return found;
}

function beginsStatement(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (before === undefined || before.text === ";" || before.ends) return before?.text !== "async";
  return false;
}

function declarationAt(tokens: readonly Token[], index: number): Declaration | undefined {
  const first = tokens[index];
  const next = tokens[index + 1];
  if (first === undefined || next === undefined) return undefined;
  switch (first.text) {
    case "let":
    case "const":
    case "var":
      if (next.kind !== "word" && next.text !== "[" && next.text !== "{") return undefined;
      if (next.text === "in" || next.text === "instanceof" || next.text === "of") return undefined;
      return variables(tokens, index, first, first.text);
    case "class": {
      if (next.kind !== "word" || next.text === "extends") return undefined;
      const body = tokens.findIndex((token, at) => at > index && token.depth === 0 && token.text === "{");
      const close = tokens[skipGroup(tokens, body)];
      if (body < 0 || close === undefined) return undefined;
      return one("class", first, [next.text], [], close.end);
    }
    case "async":
      if (next.text !== "function" || next.newline) return undefined;
      return named(tokens, index + 2, first);
    case "function":
      return named(tokens, index + 1, first);
    default:
      return undefined;
  }
}

function one(
  kind: Declaration["kind"],
  first: Token,
  names: string[],
  bare: Declaration["bare"] = [],
  end = 0,
): Declaration {
  return { kind, first, names, bare, end };
}

function named(tokens: readonly Token[], index: number, first: Token): Declaration | undefined {
  const at = tokens[index]?.text === "*" ? index + 1 : index;
  const name = tokens[at];
  return name?.kind === "word" ? one("function", first, [name.text]) : undefined;
}

function variables(
  tokens: readonly Token[],
  index: number,
  first: Token,
  kind: "let" | "const" | "var",
): Declaration | undefined {
  const names: string[] = [];
  const bare: { end: number; last: boolean }[] = [];
  let at = index + 1;
  for (;;) {
    const target = tokens[at];
    if (target === undefined) return undefined;
    const after = bindings(tokens, at, names);
    if (after === undefined) return undefined;
    at = after;
    const next = tokens[at];
    if (next?.text === "=") at = skipValue(tokens, at + 1, true);
    else if (target.kind === "word") bare.push({ end: target.end, last: next?.text !== "," });
    if (tokens[at]?.text !== ",") return one(kind, first, names, bare);
    at++;
  }
}

/** Collects the names of a binding pattern; returns the index after it. */
function bindings(tokens: readonly Token[], index: number, names: string[]): number | undefined {
  const first = tokens[index];
  if (first === undefined) return undefined;
  if (first.kind === "word") {
    names.push(first.text);
    return index + 1;
  }
  if (first.text !== "[" && first.text !== "{") return undefined;
  const inObject = first.text === "{";
  const close = inObject ? "}" : "]";
  let at = index + 1;
  for (;;) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (token.text === close && token.depth === first.depth) return at + 1;
    if (token.text === "," || token.text === "...") {
      at++;
      continue;
    }
    if (inObject) {
      const key = token.text === "[" ? skipGroup(tokens, at) : at;
      if (tokens[key + 1]?.text === ":") at = key + 2;
    }
    const after = bindings(tokens, at, names);
    if (after === undefined) return undefined;
    at = tokens[after]?.text === "=" ? skipValue(tokens, after + 1, false) : after;
  }
}

/** The index of the bracket that closes the one at `index`. */
function skipGroup(tokens: readonly Token[], index: number): number {
  const depth = tokens[index]?.depth;
  if (depth === undefined) return tokens.length;
  const close = tokens.findIndex((token, at) => at > index && token.depth === depth);
  return close < 0 ? tokens.length : close;
}

/** The index of the token that ends the value at `index`: a comma, a closing bracket, or the next statement. */
function skipValue(tokens: readonly Token[], index: number, statement: boolean): number {
  const depth = tokens[index]?.depth ?? 0;
  let at = index;
  for (; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.depth < depth) return at;
    if (token.depth > depth) continue;
    if (token.text === "," || token.text === ";") return at;
    if (statement && at > index && startsStatement(tokens, at)) return at;
  }
  return at;
}

/** Any other mark continues the expression before it. */
const STARTING_MARKS = new Set("{ ! ~ ++ --".split(" "));

/** Whether a statement may begin at this token of depth 0, judged by its neighbours alone. */
export function startsStatement(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (token === undefined || before === undefined) return token !== undefined;
  if (before.text === ";") return true;
  if (!before.ends || before.text === "let" || (!token.newline && before.text !== "}")) return false;
  if (token.kind === "template") return false;
  if (token.kind === "mark") return STARTING_MARKS.has(token.text);
  return token.text !== "in" && token.text !== "instanceof";
}
