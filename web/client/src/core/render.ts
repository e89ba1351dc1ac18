// Renders a value as a typed answer without its id: `:text`, `=json` or `~rendering`. Strings, numbers and exact JSON
// are written directly; other values through a limited copy.

import { copy, isPlain, nodes, short } from "./copy.js";
import { tooLarge } from "./answer.js";
import { VALUE_DEPTH_MAX, VALUE_MEMBERS_MAX } from "./limits.js";

export function render(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `:${value}`;
    case "number":
      return Object.is(value, -0) ? "=-0" : Number.isFinite(value) ? `=${value}` : `~${value}`;
    case "boolean":
      return value ? "=true" : "=false";
    case "object":
      return value === null ? "=null" : renderObject(value);
    default:
      return `~${short(value) ?? typeof value}`;
  }
}

function renderObject(value: object): string {
  try {
    // `JSON.stringify` is many times faster than a copy, but drops and changes what JSON cannot hold.
    const exact = members(value, 0, 0);
    if (exact > VALUE_MEMBERS_MAX) return tooLarge(`has more than ${VALUE_MEMBERS_MAX} members`);
    if (exact > 0) return `=${JSON.stringify(value)}`;
    const text = short(value) ?? nodes(value);
    if (text !== undefined) return `~${text}`;
  } catch {
    // A getter or a proxy threw; the copy shows where.
  }
  const copied = copy(value);
  if (typeof copied !== "string") return `=${JSON.stringify(copied)}`;
  return `${isText(value) ? ":" : "~"}${copied}`;
}

/** Whether a string is an exact form of the value: the result of its `toJSON`, or a boxed string. */
function isText(value: object): boolean {
  try {
    return ("toJSON" in value && typeof value.toJSON === "function") || typeof value.valueOf() === "string";
  } catch {
    return false;
  }
}

const INEXACT = -1;

/** Counts the members of a value that JSON holds exactly; negative for any other value. Stops above the limit. */
function members(value: unknown, depth: number, counted: number): number {
  switch (typeof value) {
    case "string":
    case "boolean":
      return counted + 1;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? counted + 1 : INEXACT;
    case "object":
      break;
    default:
      return INEXACT;
  }
  if (value === null) return counted + 1;
  if (depth > VALUE_DEPTH_MAX) return INEXACT;
  let count = counted + 1;
  if (Array.isArray(value)) {
    if (value.length > VALUE_MEMBERS_MAX) return value.length;
    for (let at = 0; at < value.length; at++) {
      count = members(value[at], depth + 1, count);
      if (count < 0 || count > VALUE_MEMBERS_MAX) return count;
    }
    return count;
  }
  if (!isPlain(value) || Symbol.toStringTag in value || "toJSON" in value) return INEXACT;
  for (const key of Object.keys(value)) {
    count = members((value as Record<string, unknown>)[key], depth + 1, count);
    if (count < 0 || count > VALUE_MEMBERS_MAX) return count;
  }
  return count;
}
