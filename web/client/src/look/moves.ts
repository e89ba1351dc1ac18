// Finds pieces that only moved between two outlines: a dragged row, a sorted table.

import { clip } from "../core/clip.js";
import { MOVES_MAX } from "../core/limits.js";

/** Characters of a line that identify it. */
const NEIGHBOUR_CHARS = 40;
const REFS = /(?<![\w.])(?:f\d+)?e\d+(?:\.\d+)? /g;
/** Refs after the first piece of a line. */
const LATER_REFS = new RegExp(`(?<=\u2029)${REFS.source}`, "g");

/** The fewest moves that explain the new order of the lines that occur once in both outlines. */
export function moves(before: readonly string[], after: readonly string[]): string[] {
  const was = placesOf(before);
  const is = placesOf(after);
  const common = [...is.keys()].filter((line) => was.has(line));
  const stay = increasing(common.map((line) => was.get(line) as number));
  const moved = common.filter((_, at) => !stay.has(at));
  const lines = moved.slice(0, MOVES_MAX).map((line) => {
    const at = is.get(line) as number;
    const neighbour = after[at - 1];
    const where =
      neighbour === undefined ? "to the front" : `behind ${clip(neighbour.trim().replace(REFS, ""), NEIGHBOUR_CHARS)}`;
    return `~ ${clip(line.replace(LATER_REFS, ""), NEIGHBOUR_CHARS)} (moved ${where})`;
  });
  return moved.length > lines.length ? [...lines, `~ … ${moved.length - lines.length} more moved`] : lines;
}

/** The index of each line that occurs once. */
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

/** The indexes of a longest increasing subsequence. */
function increasing(numbers: readonly number[]): Set<number> {
  /** At `n`: the index of the smallest number that ends an increasing subsequence of length `n + 1`. */
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
