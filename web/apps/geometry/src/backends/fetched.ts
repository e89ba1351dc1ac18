// An HTTP request with limits: 30 s in total, including the body, and a maximum size of the body.

import { failed, messageOf, type Failure } from "../failure.js";
import { HTTP_MS_MAX } from "./limits.js";

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Wanted {
  /** The failure without a response; the caller chooses the words. */
  unreachable(why: string): Failure;
  /** The message after 30 s. */
  readonly late: string;
  readonly bytesMax: number;
}

/** Rejects with `Failure`. A response with any status resolves. */
export async function fetched(url: string, init: RequestInit, signal: AbortSignal, wanted: Wanted): Promise<Answer> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), HTTP_MS_MAX);
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, late.signal]) });
    return {
      status: response.status,
      statusText: response.statusText,
      ok: response.ok,
      bytes: await body(response, wanted.bytesMax),
    };
  } catch (error) {
    if (late.signal.aborted) throw failed(wanted.late);
    if (signal.aborted) throw failed("cancelled by the caller");
    if (error instanceof TooLong) throw failed(error.message);
    throw wanted.unreachable(messageOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** A hint for cross-origin requests: the browser does not reveal whether a response arrived that CORS hides. */
export function acrossOrigins(url: string): string {
  const { origin } = new URL(url, location.href);
  if (origin === location.origin || !/^https?:/.test(origin)) return "";
  return ` (${origin} is another origin: it must be reachable and allow ${location.origin} by CORS, with the header Access-Control-Allow-Origin)`;
}

class TooLong extends Error {}

async function body(response: Response, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = response.body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > bytesMax) {
      await reader.cancel();
      throw new TooLong(`the answer of ${new URL(response.url).pathname} is longer than ${String(bytesMax)} bytes`);
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}
