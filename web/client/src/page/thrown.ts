// Describes an error that an agent's code threw: its message, the position in that code, and a stack without our own
// frames.

import { hint } from "../core/hint.js";
import { errorText, tagOf } from "../core/copy.js";
import { CODE_THREW } from "../generated/protocol.js";
import { misplaced } from "./misplaced.js";
import { originOf, type Position } from "../core/origin.js";
import type { Core, Thrown } from "../core/part.js";
import type { Program } from "../core/program.js";

export function thrown({ render, failure }: Core): Thrown {
  return async (error, code, program, trustUrl) => {
    try {
      const place = isUncompiled(error) ? await misplaced(code, program?.async === true, trustUrl) : undefined;
      return isError(error) ? thrownError(failure, error, program, place) : failure(CODE_THREW, render(error).slice(1));
    } catch {
      return failure(CODE_THREW, "the page's code threw what cannot be shown");
    }
  };
}

function isError(error: unknown): error is Error {
  return /^(?:Error|DOMException)$/.test(tagOf(error));
}

function thrownError(
  failure: Core["failure"],
  error: Error,
  program: Program | undefined,
  known: Position | undefined,
): string {
  const message = error.name === "Error" && error.message !== "" ? error.message : errorText(error);
  const stack = typeof error.stack === "string" ? error.stack : "";
  const place = known ?? placeIn(stack, program);
  const where = place === undefined ? "" : ` (line ${place.line}, col ${place.column})`;
  const next = message.endsWith("Illegal return statement") ? hint("return") : "";
  return failure(CODE_THREW, message + where, next, trim(stack, program));
}

function placeIn(stack: string, program: Program | undefined): Position | undefined {
  if (program === undefined || program.name === "") return undefined;
  const found = new RegExp(`\\b${program.name}:(\\d+):(\\d+)`).exec(stack);
  return found === null ? undefined : originOf(program, { line: Number(found[1]), column: Number(found[2]) });
}

const EVALUATED = /\(?eval at .*, <anonymous>(:\d+:\d+)\)?|\b(eye-\d+):(\d+):(\d+)/;

/** Frames below the last one of evaluated code are our own. */
function trim(stack: string, program?: Program): string {
  const frames = stack.split("\n").filter((line) => /^\s+at |@/.test(line));
  const last = frames.findLastIndex((line) => EVALUATED.test(line));
  const shown = frames.slice(0, last + 1).map((line) => {
    return line.trim().replace(EVALUATED, (_, place: string | undefined, name: string, at: string, column: string) => {
      const own =
        program !== undefined && name === program.name
          ? originOf(program, { line: Number(at), column: Number(column) })
          : undefined;
      return `<code>${place ?? `:${own?.line ?? at}:${own?.column ?? column}`}`;
    });
  });
  return shown.join("\n");
}

/** A syntax error without a frame of evaluated code means that the engine refused to compile it. */
function isUncompiled(error: unknown): boolean {
  try {
    return isError(error) && error.name === "SyntaxError" && trim(error.stack ?? "") === "";
  } catch {
    return false;
  }
}
