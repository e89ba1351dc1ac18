// The file format of a pixel program: a little-endian header of 132 bytes, then the words. Every field that is read is
// checked.

import { invalid } from "../failure.js";
import { crc32 } from "./crc32.js";
import { PROGRAM_WORDS_MAX, WORD_BYTES, wholeWords, type Program } from "./program.js";

export const HEADER_BYTES = 132;
export const BRICK_BYTES_MAX = HEADER_BYTES + PROGRAM_WORDS_MAX * WORD_BYTES;
const MAGIC = 0x4252434b;
const VERSION = 2;
const AT = { magic: 0, version: 4, count: 16, entry: 24, checksum: 96 } as const;

export function readBrick(bytes: Uint8Array): Program {
  if (bytes.length < HEADER_BYTES)
    throw invalid(
      `a brick begins with a header of ${String(HEADER_BYTES)} bytes, and this file has ${String(bytes.length)}`,
    );
  const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  if (header.getUint32(AT.magic, true) !== MAGIC) throw invalid("this is no brick: it does not begin with 4B 43 52 42");
  const version = header.getUint32(AT.version, true);
  if (version !== VERSION)
    throw invalid(`this brick is of version ${String(version)}; version ${String(VERSION)} is known`);
  const count = header.getBigUint64(AT.count, true);
  if (count > PROGRAM_WORDS_MAX)
    throw invalid(`a brick has at most ${String(PROGRAM_WORDS_MAX)} words, and this one says ${String(count)}`);
  const words = wholeWords(bytes.subarray(HEADER_BYTES));
  if (words.length !== Number(count) * WORD_BYTES)
    throw invalid(`the brick says ${String(count)} words and has ${String(words.length / WORD_BYTES)}`);
  const entry = header.getBigUint64(AT.entry, true);
  if (entry % BigInt(WORD_BYTES) !== 0n || entry >= BigInt(words.length))
    throw invalid(`the brick's entry point, byte ${String(entry)}, is no word of it`);
  const checksum = header.getUint32(AT.checksum, true);
  // Writers without a checksum leave 0 there.
  if (checksum !== 0 && checksum !== crc32(words)) throw invalid("the brick's checksum is not that of its words");
  return { bytes: words, entry: Number(entry) / WORD_BYTES };
}

/** The inverse: writes a program as a brick. */
export function writeBrick({ bytes, entry }: Program): Uint8Array {
  const file = new Uint8Array(HEADER_BYTES + bytes.length);
  const header = new DataView(file.buffer);
  header.setUint32(AT.magic, MAGIC, true);
  header.setUint32(AT.version, VERSION, true);
  header.setBigUint64(AT.count, BigInt(bytes.length / WORD_BYTES), true);
  header.setBigUint64(AT.entry, BigInt(entry * WORD_BYTES), true);
  header.setUint32(AT.checksum, crc32(bytes), true);
  file.set(bytes, HEADER_BYTES);
  return file;
}
