// Waiting with a deadline: for an event, and by polling where there is no event.

const LOOK_EVERY_MS = 20;
const DEADLINE_MS = 60_000;

/** Polls until `look` returns a value, and returns it; reports what was missing when the deadline passes. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > end) throw new Error(`not within ${String(deadlineMs)} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Waits for an event; reports what was missing when the deadline passes. */
export async function within<T>(what: string, event: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // The timer must not keep a test alive that has stopped waiting.
    timer = setTimeout(() => reject(new Error(`not within ${String(deadlineMs)} ms: ${what}`)), deadlineMs).unref();
  });
  return Promise.race([event, late]).finally(() => clearTimeout(timer));
}
