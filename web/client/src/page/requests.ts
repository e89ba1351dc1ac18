// The page's network requests, as far as the browser remembers: it keeps the timing of each request.

import { clip } from "../core/clip.js";
import { REQUEST_URL_CHARS_MAX, REQUESTS_MAX } from "../core/limits.js";

export interface Requested {
  readonly url: string;
  /** What made the request: `fetch`, `img`, `script`, `navigation`. */
  readonly by: string;
  /** 0 if another origin hides it. */
  readonly status: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly ms: number;
  /** Over the network, with headers; 0 from a cache, or if another origin hides it. */
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
