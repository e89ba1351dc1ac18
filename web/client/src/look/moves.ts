// What only changed its place between two outlines: a dragged row, a sorted table.

import { clip } from "../core/clip.js";
import { MOVES_MAX } from "../core/limits.js";

/** So much of a line is enough to know it by. */
const NEIGHBOUR_CHARS = 40;
const REFS = /(?<![\w.])(?:f\d+)?e\d+(?:\.\d+)? /g;
/** Behind the first piece of a line. */
const LATER_REFS = new RegExp(`(?<=\u2029)${REFS.source}`, "g");

/** Lines that are in both once, and stand elsewhere among each other: as few as explain the new order. */
export function moves(before: readonly string[], after: readonly string[]): string[] {
  const was = placesOf(before);
  const is = placesOf(after);
  const common = [...is.keys()].filter((line) => was.has(line));
  const stay = increasing(common.map((line) => was.get(line) as number));
  const moved = common.filter((_, at) => !stay.has(at));
  const told = moved.slice(0, MOVES_MAX).map((line) => {
    const at = is.get(line) as number;
    const neighbour = after[at - 1];
    const where =
      neighbour === undefined ? "to the front" : `behind ${clip(neighbour.trim().replace(REFS, ""), NEIGHBOUR_CHARS)}`;
    return `~ ${clip(line.replace(LATER_REFS, ""), NEIGHBOUR_CHARS)} (moved ${where})`;
  });
  return moved.length > told.length ? [...told, `~ … ${moved.length - told.length} more moved`] : told;
}

/** Where each line stands that is there once. */
function placesOf(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const often = new Set<string>();
  for (const [at, indented] of lines.entries()) {
    const line = indented.trim();
    if (places.has(line)) often.add(line);
    places.set(line, at);
  }
  for (const line of often) places.delete(line);
  return places;
}

/** Which elements are in the longest row of numbers that only grow. */
function increasing(numbers: readonly number[]): Set<number> {
  /** At `n` the index of the smallest number that ends a row of `n + 1`. */
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [at, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1];
    ends[low] = at;
  }
  const row = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before[at]) row.add(at);
  return row;
}
