// Formats times and sizes.

export function clock(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function size(chars: number): string {
  return chars < 1000 ? `${String(chars)} B` : `${(chars / 1000).toFixed(1)} kB`;
}

/** The day as files name it: 2026-11-15, in the local time zone. */
export function isoDay(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function duration(ms: number): string {
  return ms < 1000 ? `${String(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
