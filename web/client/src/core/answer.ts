// Writes a failure as a typed answer without its id: `!code message`, then a hint and a stack after \x1f.

import { clip } from "./clip.js";
import { CODE_INTERNAL } from "../generated/protocol.js";
import { ERROR_CHARS_MAX, FRAME_BYTES_MAX, STACK_CHARS_MAX } from "./limits.js";

const SEPARATOR = "\x1f";
const MEBIBYTE = 1024 * 1024;

export function failure(code: number, message: string, hint = "", stack = ""): string {
  let text = `!${code} ${clean(message, ERROR_CHARS_MAX)}`;
  if (hint !== "" || stack !== "") text += SEPARATOR + clean(hint, ERROR_CHARS_MAX);
  if (stack !== "") text += SEPARATOR + clean(stack, STACK_CHARS_MAX);
  return text;
}

export function tooLarge(what: string): string {
  return failure(
    CODE_INTERNAL,
    `the value ${what}, over the frame limit of ${FRAME_BYTES_MAX / MEBIBYTE} MiB`,
    "ask for a part of it",
  );
}

export function tooManyBytes(bytes: number): string {
  return tooLarge(`is ${(bytes / MEBIBYTE).toFixed(1)} MiB`);
}

function clean(text: string, charsMax: number): string {
  return clip(text, charsMax).replaceAll(SEPARATOR, " ");
}
