// What the page asked of the network, as far as its browser remembers: the browser keeps the timing of each request
// itself.

import { clip } from "../core/clip.js";
import { REQUEST_URL_CHARS_MAX, REQUESTS_MAX } from "../core/limits.js";

export interface Requested {
  readonly url: string;
  /** What asked: `fetch`, `img`, `script`, `navigation`. */
  readonly by: string;
  /** 0 where another origin hides it. */
  readonly status: number;
  /** Milliseconds of the calendar. */
  readonly at: number;
  readonly ms: number;
  /** Over the network, with headers; 0 from a cache, or where another origin hides it. */
  readonly bytes: number;
}

export function requests(): readonly Requested[] {
  const kinds = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
  return (kinds as PerformanceResourceTiming[])
    .slice(-REQUESTS_MAX)
    .map(({ name, initiatorType, responseStatus, startTime, duration, transferSize }) => ({
      url: clip(name, REQUEST_URL_CHARS_MAX),
      by: initiatorType,
      status: responseStatus,
      at: Math.round(performance.timeOrigin + startTime),
      ms: Math.round(duration),
      bytes: transferSize,
    }));
}
