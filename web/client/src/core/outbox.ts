// Gathers frames into messages: sends in a microtask, or at once when a message is full or has waited long enough. It
// knows nothing of sockets; its owner drops what cannot be sent.

import { tooManyBytes } from "./answer.js";
import { BATCH_FRAMES_MAX, FLUSH_MS, FRAME_BYTES_MAX, MESSAGE_BYTES_MAX, MESSAGE_CHARS_GOAL } from "./limits.js";

/** For an id and the brackets around a message. */
const MESSAGE_MARGIN_BYTES = 64;

export type Frame = string | object;

export interface Outbox {
  /** `answer` begins with its kind: `:`, `=`, `~` or `!`. Dropped for the empty id of a fire-and-forget call. */
  answer(id: string, answer: string): void;
  push(frame: Frame): void;
  /** Bytes are a message of their own, sent in order. */
  blob(bytes: Blob): void;
  /** Removes and returns the last pushed answer, unless it was sent already. */
  takeLast(): string | undefined;
  flush(): void;
}

export function outboxTo(send: (message: string | Blob) => void, now: () => number): Outbox {
  let frames: Frame[] = [];
  let chars = 0;
  let since = 0;

  const flush = (): void => {
    if (frames.length === 0) return;
    const leaving = frames;
    frames = [];
    chars = 0;
    let message = JSON.stringify(leaving);
    // Lone surrogates are invalid text for JSON parsers; they are the only characters that JSON.stringify escapes this
    // way.
    if (message.includes("\\ud")) message = withoutHalves(JSON.stringify(leaving.map(wellFormed)));
    send(message);
  };

  /** In a microtask. `await` takes the browser a fraction of what `queueMicrotask` does. */
  const flushSoon = async (): Promise<void> => {
    await undefined;
    flush();
  };

  const push = (frame: Frame): void => {
    const count = frames.push(frame);
    chars += typeof frame === "string" ? frame.length : 0;
    if (count === 1) {
      since = now();
      void flushSoon();
      if (chars >= MESSAGE_CHARS_GOAL) flush();
    } else if (count >= BATCH_FRAMES_MAX || chars >= MESSAGE_CHARS_GOAL || now() - since >= FLUSH_MS) {
      flush();
    }
  };

  return {
    push,
    flush,
    answer(id, answer) {
      if (id === "") return;
      const room = FRAME_BYTES_MAX - id.length;
      // One UTF-16 unit is at most three bytes of UTF-8.
      push(id + (answer.length * 3 > room ? bounded(answer, room) : answer));
    },
    blob(bytes) {
      flush();
      send(bytes);
    },
    takeLast() {
      const last = frames.at(-1);
      if (typeof last !== "string") return undefined;
      frames.pop();
      chars -= last.length;
      return last;
    },
  };
}

/** Control characters take six bytes in a message, so one frame may exceed the limit of a message. */
function bounded(answer: string, room: number): string {
  const bytes = utf8Bytes(answer);
  if (bytes > room) return tooManyBytes(bytes);
  const written = answer.length * 6 > MESSAGE_BYTES_MAX ? utf8Bytes(JSON.stringify(answer)) : 0;
  return written > MESSAGE_BYTES_MAX - MESSAGE_MARGIN_BYTES ? tooManyBytes(written) : answer;
}

/** Escapes in JSON text inside of a frame are escaped again in the message. */
function wellFormed(frame: Frame): Frame {
  return typeof frame === "string" && /^\w*=/.test(frame) ? withoutHalves(frame) : frame;
}

/** Replaces escaped lone surrogates in JSON text, but not an escaped backslash before `ud800`. */
function withoutHalves(json: string): string {
  return json.replace(/\\(?:ud[89a-f][\da-f]{2}|[^])/g, (escape) => (escape.startsWith("\\ud") ? "\ufffd" : escape));
}

function utf8Bytes(text: string): number {
  return new Blob([text]).size;
}
