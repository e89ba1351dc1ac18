// Gathers frames into messages: in a microtask, or at once when a message is full or has waited long enough.
// It knows nothing of sockets; what cannot be sent is somebody else's to drop.

import { tooManyBytes } from "./answer.js";
import { BATCH_FRAMES_MAX, FLUSH_MS, FRAME_BYTES_MAX, MESSAGE_BYTES_MAX, MESSAGE_CHARS_GOAL } from "./limits.js";

/** For an id and the brackets around it. */
const MESSAGE_MARGIN_BYTES = 64;

export type Frame = string | object;

export class Outbox {
  readonly #send: (message: string | Blob) => void;
  readonly #now: () => number;
  #frames: Frame[] = [];
  #chars = 0;
  #since = 0;

  constructor(send: (message: string | Blob) => void, now: () => number) {
    this.#send = send;
    this.#now = now;
  }

  /** `answer` begins with its kind: `:`, `=`, `~` or `!`. What was fired has no id, and is not answered. */
  answer(id: string, answer: string): void {
    if (id === "") return;
    const room = FRAME_BYTES_MAX - id.length;
    // One UTF-16 unit is at most three bytes of UTF-8.
    this.push(id + (answer.length * 3 > room ? bounded(answer, room) : answer));
  }

  push(frame: Frame): void {
    const count = this.#frames.push(frame);
    this.#chars += typeof frame === "string" ? frame.length : 0;
    if (count === 1) {
      this.#since = this.#now();
      queueMicrotask(this.flush);
      if (this.#chars >= MESSAGE_CHARS_GOAL) this.flush();
    } else if (count >= BATCH_FRAMES_MAX || this.#chars >= MESSAGE_CHARS_GOAL || this.#now() - this.#since >= FLUSH_MS) {
      this.flush();
    }
  }

  /** Bytes are a message of their own, which keeps its place. */
  blob(bytes: Blob): void {
    this.flush();
    this.#send(bytes);
  }

  /** Takes back the answer that was pushed last, if it has not left. */
  takeLast(): string | undefined {
    const last = this.#frames.at(-1);
    if (typeof last !== "string") return undefined;
    this.#frames.pop();
    this.#chars -= last.length;
    return last;
  }

  readonly flush = (): void => {
    if (this.#frames.length === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#chars = 0;
    let message = JSON.stringify(frames);
    // Half a surrogate pair is no text for a JSON parser; JSON.stringify escapes only those this way.
    if (message.includes("\\ud")) message = withoutHalves(JSON.stringify(frames.map(wellFormed)));
    this.#send(message);
  };
}

/** Control characters grow sixfold when a message is written, so that one frame may fill more than a message. */
function bounded(answer: string, room: number): string {
  const bytes = utf8Bytes(answer);
  if (bytes > room) return tooManyBytes(bytes);
  const written = answer.length * 6 > MESSAGE_BYTES_MAX ? utf8Bytes(JSON.stringify(answer)) : 0;
  return written > MESSAGE_BYTES_MAX - MESSAGE_MARGIN_BYTES ? tooManyBytes(written) : answer;
}

/** What JSON text inside of a frame escapes is escaped twice in the message. */
function wellFormed(frame: Frame): Frame {
  return typeof frame === "string" && /^\w*=/.test(frame) ? withoutHalves(frame) : frame;
}

/** Replaces the escapes of halves in JSON text, and leaves an escaped backslash before `ud800` alone. */
function withoutHalves(json: string): string {
  return json.replace(/\\(?:ud[89a-f][\da-f]{2}|[^])/g, (escape) => (escape.startsWith("\\ud") ? "\ufffd" : escape));
}

function utf8Bytes(text: string): number {
  return new Blob([text]).size;
}
