// Makes code that ends with a block, `if` or `try` return its value, by inserting `return` before the last statement of
// each branch. It only edits: the caller lets the engine compile the result first.

import { startsStatement } from "./declarations.js";
import type { Edits } from "./edits.js";
import type { Realm } from "./realm.js";
import type { Token } from "./scan.js";

const NO_VALUE = new Set(
  "let const var class function if else for while do switch case default try catch finally return throw break continue with debugger export { }".split(
    " ",
  ),
);
const BRANCHED = new Set(["if", "try", "{"]);
/** Words that continue the statement before them. */
const GOES_ON = new Set(["else", "catch", "finally"]);

/** Whether a token is part of the statement before it. */
export function goesOn({ kind, text }: Token): boolean {
  return kind !== "string" && (GOES_ON.has(text) || text === "}");
}

export function hasNoValue(token: Token, next: Token | undefined): boolean {
  if (token.kind === "string" || token.kind === "template") return false;
  if (token.text === "async") return next?.text === "function" && !next.newline;
  if (token.text === "import") return next?.text !== "(" && next?.text !== ".";
  return NO_VALUE.has(token.text);
}

export function isBranched(token: Token): boolean {
  return token.kind !== "string" && BRANCHED.has(token.text);
}

/**
 * Makes every branch of the statement from token `at` to `last` return its value. `false` if it does not end at `last`.
 */
export function returnBranches(
  realm: Realm,
  tokens: readonly Token[],
  at: number,
  last: number,
  edits: Edits,
): boolean {
  const puts: [place: number, text: string][] = [];
  const text = (index: number): string | undefined => tokens[index]?.text;

  /** The index of the bracket that closes the one at `open`. */
  const closing = (open: number): number => {
    const depth = tokens[open]?.depth;
    return tokens.findIndex((token, index) => index > open && token.depth === depth && /^[)\]}]$/.test(token.text));
  };

  /** Handles a block or one statement; returns the index after it. */
  const branch = (begin: number): number => {
    if (text(begin) === "{") {
      const close = closing(begin);
      list(begin + 1, close);
      return close + 1;
    }
    if (text(begin) === "if") return statement(begin);
    const depth = tokens[begin]?.depth;
    let end = begin;
    while (end < tokens.length && !(tokens[end]?.depth === depth && /^(?:;|else)$/.test(text(end) ?? ""))) end++;
    expression(begin, end);
    return text(end) === ";" ? end + 1 : end;
  };

  /** Handles a statement; returns the index after it. */
  const statement = (begin: number): number => {
    if (text(begin) === "{") return branch(begin);
    let next = text(begin) === "if" ? branch(closing(begin + 1) + 1) : branch(begin + 1);
    while (GOES_ON.has(text(next) ?? "")) {
      const word = text(next);
      next++;
      if (word === "catch" && text(next) === "(") next = closing(next) + 1;
      // The value of `finally` is not the value of the code.
      next = word === "finally" ? closing(next) + 1 : branch(next);
    }
    return next;
  };

  const expression = (begin: number, end: number): void => {
    const [first, last] = [tokens[begin], tokens[end - 1]];
    if (first === undefined || last === undefined || hasNoValue(first, tokens[begin + 1])) return;
    puts.push([first.start, " return("], [last.end, "\n)"]);
  };

  /** Handles the last statement of a block. */
  const list = (begin: number, close: number): void => {
    let end = close;
    while (end > begin && text(end - 1) === ";") end--;
    const open = tokens[begin - 1]?.end ?? 0;
    const depth = tokens[begin]?.depth;
    for (let index = end - 1; index >= begin; index--) {
      const token = tokens[index];
      if (token === undefined || token.depth !== depth || goesOn(token)) continue;
      if (index > begin && !startsStatement(tokens, index)) continue;
      // A statement begins here only if the code before it compiles on its own.
      if (!realm.compiles(edits.original.slice(open, token.start), true)) continue;
      const known = puts.length;
      if (!isBranched(token)) expression(index, end);
      // More follows that is not a statement of its own.
      else if (statement(index) !== end) puts.length = known;
      return;
    }
  };

  if (statement(at) !== last) return false;
  for (const [place, text] of puts) edits.insert(place, text);
  return true;
}
