// Splits JavaScript into tokens, as far as needed to find `await`, declarations and statement starts. It is not a
// parser: code that was changed by its findings is compiled by the engine before it runs.

export type Kind = "word" | "number" | "string" | "template" | "regex" | "mark";

export interface Token {
  readonly kind: Kind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Open brackets around it; a bracket itself counts as outside of its pair. */
  readonly depth: number;
  /** Whether a line ends before this token. */
  readonly newline: boolean;
  /** Whether it ends an operand or a block, so that the next token continues an expression or begins a statement. */
  readonly ends: boolean;
}

export interface Scan {
  readonly tokens: readonly Token[];
  /** Whether there is an `await` outside of every known function body. */
  readonly awaits: boolean;
}

type Bracket = "(" | "[" | "block" | "body" | "object" | "${";

interface Open {
  readonly bracket: Bracket;
  /** For `(`: it belongs to `if`, `for`, `while` or `with`, so that a statement follows it. */
  readonly header?: boolean;
  /** For `(`: it holds the parameters of a `function`. */
  readonly parameters?: boolean;
}

const SPACE = /(?:[\s\ufeff]+|\/\/.*|<!--.*|\/\*[^]*?\*\/)*/y;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: identifiers may hold either joiner, each by itself
const WORD = /[\p{ID_Start}$_#\\](?:[\p{ID_Continue}$\u200c\u200d\\]|(?<=\\u)\{\w+\})*/uy;
/**
 * Any run that begins like a number: `1e+5`, `0xff_ffn`, and also `5..toFixed`, which ends an operand just the same.
 */
const NUMBER = /\.?\d(?:[eE][+-]|[\w.])*/y;
const STRING = /(['"])(?:(?!\1)[^\\\n\r]|\\(?:\r\n|[^]))*\1/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y;
const REGEX = /\/(?![*/])(?:[^\\/[\n\r]|\\[^\n\r]|\[(?:[^\\\]\n\r]|\\[^\n\r])*\])+\/[\w$]*/y;
/** Longer operators are split, which makes no difference here. */
const MARK = /=>|[=!]==?|\?\.(?!\d)|\+\+|--|\.\.\.|[{}()[\];,<>+\-*/%&|^!~?:=.@]/y;

/** Words after which an operand follows. */
const BEFORE_OPERAND = new Set(
  "return typeof instanceof in of new delete void throw case do else await yield extends default".split(" "),
);
const HEADS = new Set("if for while with".split(" "));
const BEFORE_BLOCK = new Set("do else try finally".split(" "));
const LINE_END = /[\n\r\u2028\u2029]/;

/** `undefined` for text that cannot be JavaScript: the engine reports its errors best. */
export function scan(code: string): Scan | undefined {
  const tokens: Token[] = [];
  const open: Open[] = [];
  let awaits = false;
  let at = 0;
  // Whether an operand has just ended: then `/` is a division, not a regex.
  let operand = false;
  let lastPair: Open | undefined;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(code)?.[0];
  };

  for (;;) {
    const space = match(SPACE) ?? "";
    at += space.length;
    if (at >= code.length) break;
    const newline = LINE_END.test(space);
    const before = tokens.at(-1);
    let depth = open.length;
    let kind: Kind;
    let text: string | undefined;
    const char = code.charAt(at);

    if (char === "`" || (char === "}" && open.at(-1)?.bracket === "${")) {
      if (char === "}") {
        open.pop();
        depth--;
      }
      at++;
      const part = match(TEMPLATE_PART);
      at--;
      if (part === undefined) return undefined;
      kind = "template";
      text = char + part;
      operand = part.endsWith("`");
      if (!operand) open.push({ bracket: "${" });
    } else if ((text = match(WORD)) !== undefined) {
      kind = "word";
      const named = before?.text === "." || before?.text === "?.";
      operand = named || !BEFORE_OPERAND.has(text);
      if (text === "await" && !named && !inBody(open) && !isKey(code, at + text.length)) awaits = true;
    } else if ((text = match(STRING)) !== undefined) {
      kind = "string";
      operand = true;
    } else if ((text = match(NUMBER)) !== undefined) {
      kind = "number";
      operand = true;
    } else if (char === "/" && !operand && (text = match(REGEX)) !== undefined) {
      kind = "regex";
      operand = true;
    } else if ((text = match(MARK)) !== undefined) {
      kind = "mark";
      if (text === "(" || text === "[" || text === "{") {
        open.push(opening(text, tokens, operand, lastPair));
        operand = false;
      } else if (text === ")" || text === "]" || text === "}") {
        lastPair = open.pop();
        if (lastPair === undefined || !closes(text, lastPair.bracket)) return undefined;
        depth--;
        operand = text === "}" ? lastPair.bracket === "object" : lastPair.header !== true;
      } else if (text === "++" || text === "--") {
        operand = operand && !newline;
      } else {
        operand = false;
      }
    } else {
      return undefined;
    }
    const ends = operand || text === "}" || text === ")";
    tokens.push({ kind, text, start: at, end: at + text.length, depth, newline, ends });
    at += text.length;
  }
  return open.length === 0 ? { tokens, awaits } : undefined;
}

function opening(text: "(" | "[" | "{", tokens: readonly Token[], operand: boolean, lastPair: Open | undefined): Open {
  const before = tokens.at(-1);
  if (text === "[") return { bracket: "[" };
  if (text === "(") {
    const word = before?.kind === "word" ? before.text : "";
    const named = tokens.at(-2);
    const third = tokens.at(-3);
    return {
      bracket: "(",
      header: HEADS.has(word) || (word === "await" && named?.text === "for"),
      parameters:
        word === "function" ||
        (before?.text === "*" && named?.text === "function") ||
        (before?.kind === "word" &&
          (named?.text === "function" || (named?.text === "*" && third?.text === "function"))),
    };
  }
  let bracket: Bracket = "object";
  if (before === undefined || before.text === ";" || before.text === "{" || before.text === "}") bracket = "block";
  else if (before.text === "=>") bracket = "body";
  else if (before.text === ")") bracket = lastPair?.parameters === true ? "body" : "block";
  else if (operand || BEFORE_BLOCK.has(before.text)) bracket = "block";
  return { bracket };
}

/** The names of brackets written as braces have more than two characters. */
function closes(text: ")" | "]" | "}", bracket: Bracket): boolean {
  if (text === ")") return bracket === "(";
  if (text === "]") return bracket === "[";
  return bracket.length > 2;
}

function inBody(open: readonly Open[]): boolean {
  return open.some((one) => one.bracket === "body");
}

/** `await:` is a property name or a label, never the operator. */
function isKey(code: string, end: number): boolean {
  SPACE.lastIndex = end;
  const space = SPACE.exec(code)?.[0] ?? "";
  return code.charAt(end + space.length) === ":";
}
