// A pixel program as words: one pixel, R G B A, is one instruction. Parsed from hex text, plain text or bytes; nothing
// is fetched here.

import { invalid } from "../failure.js";

export const WORD_BYTES = 4;
export const PROGRAM_WORDS_MAX = 1024 * 1024;

export interface Program {
  readonly bytes: Uint8Array;
  /** The start address, in words. */
  readonly entry: number;
}

const HEX = /^(?:0x)?[0-9a-f]+$/i;

/** Hex digits, with or without spaces, become bytes; any other text its UTF-8. */
export function programOf(text: string): Program {
  const digits = text.replace(/[\s,]+/g, "").replace(/^0x/i, "");
  const bytes = HEX.test(digits) ? fromHex(digits) : new TextEncoder().encode(text);
  return { bytes: wholeWords(bytes), entry: 0 };
}

export function wholeWords(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) throw invalid("the program is empty");
  if (bytes.length % WORD_BYTES !== 0)
    throw invalid(`a program is made of words of 4 bytes (8 hex digits), and ${String(bytes.length)} bytes are none`);
  if (bytes.length > PROGRAM_WORDS_MAX * WORD_BYTES)
    throw invalid(`a program has at most ${String(PROGRAM_WORDS_MAX)} words, not ${String(bytes.length / WORD_BYTES)}`);
  return bytes;
}

/** Sets the start: `main` is the program's own entry, a number is a word's address. Words have no names. */
export function entered(program: Program, entrypoint: string): Program {
  if (entrypoint === "main") return program;
  const entry = /^\d+$/.test(entrypoint) ? Number(entrypoint) : NaN;
  if (entry < program.bytes.length / WORD_BYTES) return { ...program, entry };
  throw invalid(
    `entrypoint must be "main" or the address of a word below ${String(program.bytes.length / WORD_BYTES)}, not ${JSON.stringify(entrypoint)}`,
  );
}

function fromHex(digits: string): Uint8Array {
  if (digits.length % 2 !== 0)
    throw invalid(`hex text has two digits a byte, and ${String(digits.length)} digits are odd`);
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(at * 2, at * 2 + 2), 16));
}
