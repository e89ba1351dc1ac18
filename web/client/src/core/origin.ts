// Maps a position in the rewritten code back to the agent's source.

import type { Edit } from "./edits.js";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** How the rewritten code was made. A separately loaded part reads this, so the build keeps these names. */
export interface Made {
  readonly code: string;
  /** Sorted by position. */
  readonly sorted: readonly Edit[];
  /** The text that was compiled; begins with the edited code. */
  readonly written: string;
  /** Lines that compiling adds before it. */
  readonly linesBefore: number;
}

export function originOf({ code, sorted, written, linesBefore }: Made, { line, column }: Position): Position {
  const offset = offsetOf(written, { line: line - linesBefore, column });
  let shift = 0;
  for (const edit of sorted) {
    const start = edit.start + shift;
    if (start > offset) break;
    if (offset < start + edit.put.length) return positionOf(code, edit.start);
    shift += edit.put.length - (edit.end - edit.start);
  }
  return positionOf(code, offset - shift);
}

function offsetOf(text: string, { line, column }: Position): number {
  let offset = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf("\n", offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return Math.min(offset + column - 1, text.length);
}

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
