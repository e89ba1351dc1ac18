// Decides when a page has settled after an action. Pure: it gets the time that has passed and what happened in it, and
// says what to wait for next.

import {
  SETTLE_FRAME_MS,
  SETTLE_FRAME_MS_MAX,
  SETTLE_FRAMES_MIN,
  SETTLE_MS_MAX,
  SETTLE_QUIET_MS,
  SETTLE_REQUESTS_MS_MAX,
} from "../core/limits.js";

export interface Passed {
  readonly ms: number;
  /** Whether something changed, or still moves. */
  readonly changed: boolean;
  /** Whether requests of the action are in progress. */
  readonly busy: boolean;
}

/** What to wait for: a frame, or the rest of the quiet time, in ms, which is less than a frame's. */
export type Next = "frame" | { readonly restMs: number };

/** `firstMs`: how long to wait for a first change. The function returns `undefined` once the page has settled. */
export function settling(firstMs: number): (passed: Passed) => Next | undefined {
  /** The time that the page has had since the action, in ms; `quiet` and `answered` are points of it. */
  let now = 0;
  let quiet = 0;
  /** When the last request of the action ended; what its response causes is waited for, too. */
  let answered = 0;
  /** Whether the action has had any effect yet. */
  let begun = false;
  /** Frames without a change. */
  let frames = 0;
  return ({ ms, changed, busy }) => {
    now += Math.min(ms, SETTLE_FRAME_MS_MAX);
    frames++;
    if (busy) answered = now;
    if (changed || busy) {
      quiet = now;
      begun = true;
      frames = 0;
    }
    const restMs = (begun ? SETTLE_QUIET_MS : firstMs) - (now - quiet);
    if (!busy && restMs <= 0) return undefined;
    if (busy ? now >= SETTLE_REQUESTS_MS_MAX : now - answered >= SETTLE_MS_MAX) return undefined;
    return frames >= SETTLE_FRAMES_MIN && restMs < SETTLE_FRAME_MS ? { restMs } : "frame";
  };
}
