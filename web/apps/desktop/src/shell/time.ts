// Calls back with the time at the start of every minute.

const MINUTE_MS = 60_000;

export function now(tell: (date: Date) => void): void {
  tell(new Date());
  setTimeout(() => now(tell), MINUTE_MS - (Date.now() % MINUTE_MS));
}
