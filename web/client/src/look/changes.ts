// What is different between two outlines of the same page: pieces that came, went, or say something else about the same element.

import { CHANGES_MAX, GONE_MAX, GONE_SHOWN } from "../core/limits.js";

/** Between what stands in one line of an outline. */
export const SEPARATOR = " | ";
const FIRST_REF = /\be\d+\b/;

/** Empty if nothing changed. `+` came, `-` went, `~` is what it is now. */
export function changes(before: readonly string[], after: readonly string[]): string[] {
  const was = counted(before);
  const is = counted(after);
  const gone = [...was].filter(([line, count]) => (is.get(line) ?? 0) < count).map(([line]) => line);
  const refs = new Map(
    gone.flatMap((line) => (FIRST_REF.test(line) ? [[FIRST_REF.exec(line)?.[0], line] as const] : [])),
  );
  const told: string[] = [];
  for (const [line, count] of is) {
    if ((was.get(line) ?? 0) >= count) continue;
    const same = refs.get(FIRST_REF.exec(line)?.[0] ?? "");
    if (same === undefined) told.push(`+ ${line}`);
    else {
      gone.splice(gone.indexOf(same), 1);
      refs.delete(FIRST_REF.exec(line)?.[0]);
      told.push(`~ ${line}`);
    }
  }
  // What went interests less than what came.
  const rest = gone.length > GONE_MAX ? gone.splice(GONE_SHOWN).length : 0;
  for (const line of gone) told.push(`- ${line}`);
  if (rest > 0) told.push(`- … ${rest} more`);
  return told.length > CHANGES_MAX
    ? [...told.slice(0, CHANGES_MAX), `… ${told.length - CHANGES_MAX} more changes`]
    : told;
}

function counted(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const piece of lines.flatMap((line) => line.trim().split(SEPARATOR)))
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return counts;
}
