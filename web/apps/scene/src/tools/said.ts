// The notes in a confirmation when the scene could not do all that was requested.

import { clamp, tidy, type Range } from "../range.js";

/** A number without rounding errors, as text. */
export function plain(value: number): string {
  return String(tidy(value));
}

export interface Limited {
  readonly value: number;
  /** Empty unless the value differs from the requested one. */
  readonly note: string;
}

/** The nearest value that the scene can have, and a note about the difference. */
export function limited(asked: number, range: Range): Limited {
  const value = tidy(clamp(asked, range));
  return { value, note: value === tidy(asked) ? "" : ` (${limits(range)}; asked for ${plain(asked)})` };
}

export interface Moved extends Limited {
  /** The distance moved, without a sign. */
  readonly by: number;
}

/** Like `limited` for a step from the current value: the note gives the requested distance. */
export function moved(from: number, step: number, range: Range): Moved {
  const value = tidy(clamp(from + step, range));
  const by = tidy(Math.abs(value - from));
  return {
    value,
    by,
    note: by === tidy(Math.abs(step)) ? "" : ` (${limits(range)}; asked for ${plain(Math.abs(step))})`,
  };
}

function limits({ min, max }: Range): string {
  return `limited to ${plain(min)}..${plain(max)}`;
}
