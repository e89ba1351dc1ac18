// What a confirmation says when the scene could not do all that was asked.

import { clamp, tidy, type Range } from "../range.js";

/** A number as people write it. */
export function plain(value: number): string {
  return String(tidy(value));
}

export interface Limited {
  readonly value: number;
  /** Empty unless the value is another than was asked for. */
  readonly note: string;
}

/** The nearest value the scene can have, and the words for the difference. */
export function limited(asked: number, range: Range): Limited {
  const value = tidy(clamp(asked, range));
  return { value, note: value === tidy(asked) ? "" : ` (${limits(range)}; asked for ${plain(asked)})` };
}

export interface Moved extends Limited {
  /** How far it went, without a sign. */
  readonly by: number;
}

/** The same for a step from where it is: the note says how far it was to go. */
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
