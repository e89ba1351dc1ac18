// Writes a failure as a JSON-RPC response: an error of a tool or a verb, with message and stack.

import { CODE_THREW } from "../generated/protocol.js";
import { STACK_CHARS_MAX } from "../core/limits.js";
import type { Core } from "../core/part.js";

export function failed(id: string, code: number, message: string, data?: object): object {
  return { id, error: { code, message, data } };
}

export function threw(core: Core, id: string, error: unknown): object {
  try {
    if (!isError(error)) return failed(id, CODE_THREW, core.render(error).slice(1));
    const { name, message, stack } = error;
    const text = name === "Error" && message !== "" ? message : message === "" ? name : `${name}: ${message}`;
    const frames = String(stack)
      .split("\n")
      .filter((line) => /^\s+at |@/.test(line));
    return failed(id, CODE_THREW, text, {
      stack: frames
        .map((line) => line.trim())
        .join("\n")
        .slice(0, STACK_CHARS_MAX),
    });
  } catch {
    return failed(id, CODE_THREW, "the page threw what cannot be shown");
  }
}

/** An error of any realm. */
function isError(error: unknown): error is Error {
  return /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(error));
}
