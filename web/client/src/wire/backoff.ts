// The wait before the next attempt, with exponential backoff.

/** `attempt` counts from 1. */
export function backoffMs(baseMs: number, attempt: number, maxMs = Infinity): number {
  return Math.min(maxMs, baseMs * 2 ** (attempt - 1));
}
