// Compares a value with the copy that JSON made of it before, in one walk over the live value. It follows the rules of
// `JSON.stringify` (`toJSON`, boxed values, what is left out), and is faster than writing, parsing and comparing the
// whole document. Copies are never changed: parts that are the same are shared between the old and the new one.

import { VALUE_DEPTH_MAX } from "../core/limits.js";

/** One operation of RFC 6902. */
export type Operation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** What JSON makes of an object or array. */
export type Tree = Record<string, unknown> | unknown[];

export interface Difference {
  /** The new copy; the old one where nothing changed. */
  readonly copy: Tree;
  readonly patch: readonly Operation[];
  /** How many characters longer the document's JSON text becomes; each operation may be off by a comma. */
  readonly chars: number;
}

/** The live objects that parts of a copy were made of. */
export type Origins = WeakMap<object, object>;

/** The value is nested too deep. */
export class TooDeep extends Error {}

/**
 * One level of what JSON makes of a value: a primitive, or an object or array as it is. `undefined` where JSON leaves
 * it out.
 */
export function jsonOf(value: unknown, key: string | number): unknown {
  let one = value;
  if (typeof one === "object" ? one !== null : typeof one === "bigint" || typeof one === "function") {
    const { toJSON } = one as { toJSON?: unknown };
    if (typeof toJSON === "function") one = toJSON.call(one, String(key)) as unknown;
    if (isTree(one) && !isPlain(one)) one = unboxed(one);
  }
  switch (typeof one) {
    case "number":
      // `-0` is `0`.
      return Number.isFinite(one) ? one + 0 : null;
    case "bigint":
      // Throws in the engine's own words.
      return JSON.stringify(one);
    case "function":
    case "symbol":
      return undefined;
    default:
      return one;
  }
}

export function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether both are arrays, or both objects. */
export function areAlike(one: unknown, other: unknown): boolean {
  return isTree(one) && isTree(other) && Array.isArray(one) === Array.isArray(other);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}

/** The value of a boxed one, whatever window it comes from. */
function unboxed(value: object): unknown {
  switch (Object.prototype.toString.call(value)) {
    case "[object Number]":
      return Number(value);
    case "[object String]":
      return String(value);
    case "[object Boolean]":
      return Boolean.prototype.valueOf.call(value);
    case "[object BigInt]":
      return BigInt.prototype.valueOf.call(value);
    default:
      return (JSON as Raw).isRawJSON?.(value) === true ? JSON.parse(JSON.stringify(value)) : value;
  }
}

/** Newer engines have a value that stands for its own text. */
interface Raw {
  isRawJSON?(value: unknown): boolean;
}

/** A copy as JSON would make it. Where there are `origins`, they note of what each part was made. */
export function copyOf(live: object, origins?: Origins, levels = VALUE_DEPTH_MAX): Tree {
  if (levels === 0) throw tooDeep(live);
  const inner = (value: unknown): unknown => (isTree(value) ? copyOf(value, origins, levels - 1) : value);
  let copy: Tree;
  if (Array.isArray(live)) {
    const items: unknown[] = (copy = []);
    // A hole is a value, too.
    for (let index = 0; index < live.length; index++) items.push(inner(jsonOf(live[index], index) ?? null));
  } else {
    const members: Record<string, unknown> = (copy = {});
    for (const key of Object.keys(live)) {
      const value = jsonOf((live as Record<string, unknown>)[key], key);
      if (value !== undefined) set(members, key, inner(value));
    }
  }
  origins?.set(copy, live);
  return copy;
}

/**
 * What changed since `copy` was made. Both are objects, or both arrays. With `origins`, a part that is the same object
 * as before is taken for unchanged.
 */
export function differenceOf(copy: Tree, live: object, origins?: Origins): Difference {
  const patch: Operation[] = [];
  const trail: (string | number)[] = [];
  let chars = 0;

  const pathTo = (key: string | number): string =>
    [...trail, key].map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  const made = (value: unknown, levels: number): unknown => (isTree(value) ? copyOf(value, origins, levels) : value);
  const add = (into: Tree, key: string | number, value: unknown, levels: number): void => {
    const one = made(value, levels);
    patch.push({ op: "add", path: pathTo(key), value: one });
    chars += memberChars(into, key, one);
    set(into, key, one);
  };
  const remove = (from: Tree, key: string | number): void => {
    patch.push({ op: "remove", path: pathTo(key) });
    chars -= memberChars(from, key, at(from, key));
    if (Array.isArray(from)) from.pop();
    else delete from[key];
  };

  /** What a part is now, which was there before. */
  const part = (before: unknown, key: string | number, value: unknown, levels: number): unknown => {
    if (before === value) return before;
    if (areAlike(before, value)) {
      trail.push(key);
      const now = walk(before as Tree, value as object, levels);
      trail.pop();
      return now;
    }
    const one = made(value, levels);
    patch.push({ op: "replace", path: pathTo(key), value: one });
    chars += charsOf(one) - charsOf(before);
    return one;
  };

  const walk = (before: Tree, now: object, levels: number): Tree => {
    if (origins?.get(before) === now) return before;
    if (levels === 0) throw tooDeep(now);
    const after = Array.isArray(before)
      ? items(before, now as readonly unknown[], levels - 1)
      : members(before, now as Readonly<Record<string, unknown>>, levels - 1);
    origins?.set(after, now);
    return after;
  };

  const items = (before: readonly unknown[], now: readonly unknown[], levels: number): unknown[] => {
    let after = before as unknown[];
    const own = (): unknown[] => (after === before ? (after = before.slice()) : after);
    const kept = Math.min(before.length, now.length);
    for (let index = 0; index < kept; index++) {
      const one = part(before[index], index, jsonOf(now[index], index) ?? null, levels);
      if (one !== before[index]) own()[index] = one;
    }
    for (let index = before.length - 1; index >= now.length; index--) remove(own(), index);
    for (let index = kept; index < now.length; index++) add(own(), index, jsonOf(now[index], index) ?? null, levels);
    return after;
  };

  const members = (
    before: Readonly<Record<string, unknown>>,
    now: Readonly<Record<string, unknown>>,
    levels: number,
  ): Record<string, unknown> => {
    let after = before as Record<string, unknown>;
    const own = (): Record<string, unknown> => (after === before ? (after = { ...before }) : after);
    // Both have the same names in the same order nearly always, which is faster to see than to look each one up.
    const names = Object.keys(before);
    let same = 0;
    let others: Set<string> | undefined;
    for (const key of Object.keys(now)) {
      const value = jsonOf(now[key], key);
      if (value === undefined) continue;
      if (others === undefined && names[same] === key) same++;
      else if (Object.hasOwn(before, key)) (others ??= new Set()).add(key);
      else {
        others ??= new Set();
        add(own(), key, value, levels);
        continue;
      }
      const one = part(before[key], key, value, levels);
      if (one !== before[key]) set(own(), key, one);
    }
    for (; same < names.length; same++) {
      const name = names[same] ?? "";
      if (others?.has(name) !== true) remove(own(), name);
    }
    return after;
  };

  return { copy: walk(copy, live, VALUE_DEPTH_MAX), patch, chars };
}

function at(tree: Tree, key: string | number): unknown {
  return (tree as Record<string | number, unknown>)[key];
}

/** `__proto__` is a name like every other in JSON. */
function set(tree: Tree, key: string | number, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(tree, key, { value, writable: true, enumerable: true, configurable: true });
  else (tree as Record<string | number, unknown>)[key] = value;
}

/** Characters of a JSON text. */
function charsOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/** Those of a member or an item, with its name, colon and comma. */
function memberChars(tree: Tree, key: string | number, value: unknown): number {
  return charsOf(value) + 1 + (Array.isArray(tree) ? 0 : charsOf(key) + 1);
}

/** What contains itself is no JSON at all, which the engine says better. */
function tooDeep(value: object): Error {
  JSON.stringify(value);
  return new TooDeep();
}
