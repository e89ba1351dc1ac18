// How long to wait before the next attempt.

/** `attempt` counts from 1. */
export function backoffMs(baseMs: number, attempt: number, maxMs = Infinity): number {
  return Math.min(maxMs, baseMs * 2 ** (attempt - 1));
}
