// Frames on a byte stream: a line that ends in a newline, or `#<bytes>`, a newline, and exactly that many bytes.

import { CODE_CONNECTION, FRAME_BYTES_MAX } from "../generated/protocol.js";
import { EyeError } from "./error.js";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const HEADER_CHARS_MAX = 20;

export function encodeFrame(text: string): Uint8Array {
  const encoder = new TextEncoder();
  const counted = text.startsWith("#") || text.includes("\n") || text.endsWith("\r");
  return encoder.encode(counted ? `#${String(encoder.encode(text).length)}\n${text}` : `${text}\n`);
}

/** Takes bytes in any chunks, and returns complete frames. */
export class FrameReader {
  readonly #decoder = new TextDecoder();
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** The length of the counted frame that is being received; `undefined` between counted frames. */
  #counted: number | undefined;

  push(chunk: Uint8Array): string[] {
    const frames: string[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      const end = this.#counted === undefined ? rest.indexOf(NEWLINE) + 1 : this.#counted - this.#bytes;
      const isComplete = end > 0 && end <= rest.length;
      const part = isComplete ? rest.subarray(0, end) : rest;
      rest = rest.subarray(part.length);
      this.#chunks.push(part);
      this.#bytes += part.length;
      if (this.#bytes > FRAME_BYTES_MAX + HEADER_CHARS_MAX)
        throw new EyeError(CODE_CONNECTION, "a frame is over the limit");
      if (isComplete) frames.push(...this.#finish());
    }
    return frames;
  }

  #finish(): string[] {
    const bytes = this.#joined();
    this.#chunks = [];
    this.#bytes = 0;
    if (this.#counted !== undefined) {
      this.#counted = undefined;
      return [this.#decoder.decode(bytes)];
    }
    const end = bytes.length - 1;
    const line = this.#decoder.decode(bytes.subarray(0, end > 0 && bytes[end - 1] === RETURN ? end - 1 : end));
    if (!line.startsWith("#")) return line === "" ? [] : [line];
    const count = Number(line.slice(1));
    if (!/^#\d+$/.test(line) || count > FRAME_BYTES_MAX)
      throw new EyeError(CODE_CONNECTION, `${JSON.stringify(line.slice(0, HEADER_CHARS_MAX))} is no frame`);
    if (count > 0) this.#counted = count;
    return [];
  }

  #joined(): Uint8Array {
    const [only] = this.#chunks;
    if (only !== undefined && this.#chunks.length === 1) return only;
    const joined = new Uint8Array(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    return joined;
  }
}
