// Writes a failure as a typed answer without its id: `!code message`, then a hint and a stack after \x1f.

import { hint } from "./hint.js";
import { clip } from "./clip.js";
import { CODE_INTERNAL } from "../generated/protocol.js";
import { ERROR_CHARS_MAX, FRAME_BYTES_MAX, STACK_CHARS_MAX } from "./limits.js";

const SEPARATOR = "\x1f";
const MEBIBYTE = 1024 * 1024;

export function failure(code: number, message: string, next = "", stack = ""): string {
  let text = `!${code} ${clean(message, ERROR_CHARS_MAX)}`;
  if (next !== "" || stack !== "") text += SEPARATOR + clean(next, ERROR_CHARS_MAX);
  if (stack !== "") text += SEPARATOR + clean(stack, STACK_CHARS_MAX);
  return text;
}

export function tooLarge(what: string): string {
  return failure(
    CODE_INTERNAL,
    `the value ${what}, over the frame limit of ${FRAME_BYTES_MAX / MEBIBYTE} MiB`,
    hint("part"),
  );
}

export function tooManyBytes(bytes: number): string {
  return tooLarge(`is ${(bytes / MEBIBYTE).toFixed(1)} MiB`);
}

function clean(text: string, charsMax: number): string {
  return clip(text, charsMax).replaceAll(SEPARATOR, " ");
}
