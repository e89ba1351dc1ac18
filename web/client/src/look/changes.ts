// The difference between two outlines of the same page: pieces that are new, gone, or changed for the same element.

import { clip } from "../core/clip.js";
import { moves } from "./moves.js";
import { CHANGES_MAX, GONE_MAX, GONE_SHOWN, OUTLINE_TEXT_CHARS_MAX } from "../core/limits.js";

/**
 * Between the pieces of one line of an outline. It cannot occur in a page's text, where all white space becomes a
 * space.
 */
export const SEPARATOR = "\u2029";
const FIRST_REF = /(?<=^(?:#+ )?)(?:f\d+)?e\d+(?:\.\d+)?\b/;

/** A line as agents read it. */
export function printed(line: string): string {
  return line.replaceAll(SEPARATOR, " | ");
}

const FOCUS = / \(focus\)$|, focus(?=\)$)/;
/** Two texts with this much of a common beginning count as one that has changed. */
const COMMON_CHARS_MIN = 20;
/** Unchanged characters that are shown before and after a change. */
const CONTEXT_CHARS = 20;
/** Shorter unchanged parts are not left out. */
const LEFT_OUT_CHARS_MIN = 40;

/** Empty if nothing changed. `+` is new, `-` is gone, `~` has changed or moved. */
export function changes(before: readonly string[], after: readonly string[]): string[] {
  const was = counted(before);
  const is = counted(after);
  const gone = [...was].filter(([line, count]) => (is.get(line) ?? 0) < count).map(([line]) => line);
  const refs = new Map(
    gone.flatMap((line) => (FIRST_REF.test(line) ? [[FIRST_REF.exec(line)?.[0], line] as const] : [])),
  );
  const changes: string[] = [];
  for (const [line, count] of is) {
    if ((was.get(line) ?? 0) >= count) continue;
    const ref = FIRST_REF.exec(line)?.[0];
    const same = refs.get(ref ?? "") ?? (ref === undefined ? gone.find((one) => isSameText(one, line)) : undefined);
    if (same === undefined) changes.push(`+ ${short(line)}`);
    else {
      gone.splice(gone.indexOf(same), 1);
      refs.delete(ref);
      // Losing the focus is not reported.
      if (same.replace(FOCUS, "") !== line) changes.push(`~ ${apart(same, line)}`);
    }
  }
  changes.push(...moves(before.map(withoutFocus), after.map(withoutFocus)).map(printed));
  // Gone pieces matter less than new ones, so only a few are reported.
  const rest = gone.length > GONE_MAX ? gone.splice(GONE_SHOWN).length : 0;
  for (const line of gone) changes.push(`- ${short(line)}`);
  if (rest > 0) changes.push(`- … ${rest} more`);
  return changes.length > CHANGES_MAX
    ? [...changes.slice(0, CHANGES_MAX), `… ${changes.length - CHANGES_MAX} more changes`]
    : changes;
}

function withoutFocus(line: string): string {
  return line.replace(FOCUS, "");
}

function isSameText(before: string, after: string): boolean {
  return !FIRST_REF.test(before) && commonChars(before, after) >= COMMON_CHARS_MIN;
}

function commonChars(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The changed line; of a long one only the changed part, with a little context. */
function apart(before: string, after: string): string {
  const common = commonChars(before, after);
  const same = Math.min(commonChars(reversed(before), reversed(after)), after.length - common);
  const end = same > LEFT_OUT_CHARS_MIN + CONTEXT_CHARS ? after.length - same + CONTEXT_CHARS : after.length;
  const rest = (from: number): string => short(after.slice(from, end) + (end < after.length ? "…" : ""));
  const head = FIRST_REF.exec(after)?.[0] ?? "";
  if (common < LEFT_OUT_CHARS_MIN + CONTEXT_CHARS) return rest(0);
  return `${head}${head && " "}…${rest(common - CONTEXT_CHARS)}`;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}

function short(line: string): string {
  return clip(line, OUTLINE_TEXT_CHARS_MAX);
}

function counted(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const piece of lines.flatMap((line) => line.trim().split(SEPARATOR)))
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return counts;
}
