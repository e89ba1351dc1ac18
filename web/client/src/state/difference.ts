// Compares a value with the copy that JSON made of it before, in one walk over the live value. It follows the rules of
// `JSON.stringify` (`toJSON`, boxed values, what is left out), and is faster than writing, parsing and comparing the
// whole document. Copies are never changed: parts that are the same are shared between the old and the new one.

import { VALUE_DEPTH_MAX } from "../core/limits.js";

/** One operation of RFC 6902. */
export type Operation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** What JSON makes of an object or array. */
export type Tree = Members | unknown[];
type Members = Record<string, unknown>;

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
    if (isTree(one) && !Array.isArray(one) && !isPlain(one)) one = unboxed(one);
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
  return Object.getPrototypeOf(value) === Object.prototype;
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
  /** Where the walk is: the keys down to its depth; those beyond are left from other parts. */
  const trail: (string | number)[] = [];
  const bare = isBare();
  let chars = 0;

  const pathTo = (key: string | number, depth: number): string =>
    [...trail.slice(0, depth), key]
      .map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
      .join("");

  const remove = (from: Tree, key: string | number, depth: number): void => {
    patch.push({ op: "remove", path: pathTo(key, depth) });
    chars -= memberChars(key, at(from, key));
    if (Array.isArray(from)) from.pop();
    else delete from[key];
  };

  /** A part of which nothing stays. `before` is `undefined` where there was none. */
  const replaced = (before: unknown, key: string | number, value: unknown, depth: number): unknown => {
    if (before === value) return before;
    const one = isTree(value) ? copyOf(value, origins, VALUE_DEPTH_MAX - depth - 1) : value;
    patch.push({ op: before === undefined ? "add" : "replace", path: pathTo(key, depth), value: one });
    chars += before === undefined ? memberChars(key, one) : charsOf(one) - charsOf(before);
    return one;
  };

  /** What a part is now; `undefined` where JSON leaves it out. */
  const part = (before: unknown, key: string | number, live: unknown, depth: number): unknown => {
    let value = jsonOf(live, key);
    if (value === undefined) {
      if (typeof key === "string") return undefined;
      value = null;
    }
    if (!areAlike(before, value)) return replaced(before, key, value, depth);
    trail[depth] = key;
    return walk(before as Tree, value as object, depth + 1);
  };

  /** The same for an object or array. Most are plain ones, for which fewer questions are enough. */
  const treePart = (before: unknown, key: string | number, live: object, depth: number): unknown => {
    if (typeof (live as { toJSON?: unknown }).toJSON === "function") return part(before, key, live, depth);
    if (Array.isArray(live)) {
      if (!Array.isArray(before)) return replaced(before, key, live, depth);
      trail[depth] = key;
      return items(before, live, depth + 1);
    }
    if (!isPlain(live) || !isTree(before) || Array.isArray(before)) return part(before, key, live, depth);
    trail[depth] = key;
    return members(before as Members, live as Members, bare, depth + 1);
  };

  const walk = (before: Tree, now: object, depth: number): Tree =>
    Array.isArray(before)
      ? items(before, now as readonly unknown[], depth)
      : members(before, now as Members, bare && isPlain(now), depth);

  const items = (before: unknown[], now: readonly unknown[], depth: number): unknown[] => {
    if (origins?.get(before) === now) return before;
    if (depth === VALUE_DEPTH_MAX) throw tooDeep(now);
    const { length } = now;
    let after = before;
    for (let index = 0; index < length; index++) {
      const was = before[index];
      const live = now[index];
      if (isLeaf(live) && live === was) continue;
      const one = isTree(live) ? treePart(was, index, live, depth) : part(was, index, live, depth);
      if (one === was) continue;
      if (after === before) after = before.slice();
      after[index] = one;
    }
    if (after === before && length < before.length) after = before.slice();
    for (let index = after.length - 1; index >= length; index--) remove(after, index, depth);
    origins?.set(after, now);
    return after;
  };

  /** Whether `was`, which a copy has under this name, is its own. */
  const isOwn = (before: Members, key: string, was: unknown): boolean =>
    was !== undefined && typeof was !== "function" && ((bare && key !== "__proto__") || Object.hasOwn(before, key));

  /**
   * `ownOnly` is known of what names nothing inherited in `for … in`, which makes no list of names, and by whose names
   * engines read the fastest.
   */
  const members = (before: Members, now: Members, ownOnly: boolean, depth: number): Members => {
    if (origins?.get(before) === now) return before;
    if (depth === VALUE_DEPTH_MAX) throw tooDeep(now);
    let after = before;
    let met = 0;
    /** What JSON leaves out. */
    let out: Set<string> | undefined;
    for (const key in now) {
      if (!ownOnly && !Object.hasOwn(now, key)) continue;
      const live = now[key];
      const there = before[key];
      if (bare && isLeaf(live) && live === there) {
        met++;
        continue;
      }
      const was = isOwn(before, key, there) ? there : undefined;
      const one = isTree(live) ? treePart(was, key, live, depth) : part(was, key, live, depth);
      if (one === undefined) {
        (out ??= new Set()).add(key);
        continue;
      }
      if (was !== undefined) met++;
      if (one === was) continue;
      if (after === before) after = { ...before };
      set(after, key, one);
    }
    for (const key in before) if (bare || Object.hasOwn(before, key)) met--;
    if (met < 0) {
      if (after === before) after = { ...before };
      for (const key of Object.keys(before))
        if (out?.has(key) === true || !Object.prototype.propertyIsEnumerable.call(now, key)) remove(after, key, depth);
    }
    origins?.set(after, now);
    return after;
  };

  return { copy: walk(copy, live, 0), patch, chars };
}

/** Whether a value is JSON as it is, and nothing in it can change. */
function isLeaf(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null;
}

/** Whether plain objects inherit functions only, and nothing that `for … in` names. */
function isBare(): boolean {
  const inherited = Object.entries(Object.getOwnPropertyDescriptors(Object.prototype));
  return inherited.every(
    ([name, { enumerable, value }]) => name === "__proto__" || (enumerable !== true && typeof value === "function"),
  );
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
function memberChars(key: string | number, value: unknown): number {
  return charsOf(value) + 1 + (typeof key === "number" ? 0 : charsOf(key) + 1);
}

/** What contains itself is no JSON at all, which the engine says better. */
function tooDeep(value: object): Error {
  JSON.stringify(value);
  return new TooDeep();
}
