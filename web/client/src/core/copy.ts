// Copies a value that JSON cannot hold exactly into one that it can: other values become short strings. It never throws
// and always ends: members, instances and depth are limited.

import { clip } from "./clip.js";
import { isNode, isNodeList, renderNode } from "./element.js";
import {
  COPY_INSTANCE_DEPTH_MAX,
  COPY_INSTANCES_MAX,
  COPY_MEMBERS_MAX,
  FUNCTION_CHARS_MAX,
  TYPED_ARRAY_ITEMS_MAX,
  VALUE_DEPTH_MAX,
} from "./limits.js";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const CUT = "[…]";

export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a value is a plain object of any realm. */
export function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === null || proto === Object.prototype || Object.getPrototypeOf(proto) === null;
}

/** A short text for a value without members worth showing; `undefined` for any other value. */
export function short(value: unknown): string | undefined {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "bigint":
      return `${value}n`;
    case "symbol":
      return String(value);
    case "number":
      return Object.is(value, -0) ? "-0" : Number.isFinite(value) ? undefined : String(value);
    case "function":
      return renderFunction(value);
    case "object":
      return value === null ? undefined : shortObject(value);
    default:
      return undefined;
  }
}

function shortObject(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  const tag = tagOf(value);
  switch (tag) {
    case "Error":
    case "DOMException":
      return errorText(value);
    case "RegExp":
      return String(value);
    case "Window":
      return `Window ${(value as Window).location.href}`;
    case "Location":
      return `Location ${(value as Location).href}`;
    case "Blob":
    case "File":
      return `${tag}(${(value as Blob).size}${(value as Blob).type && `, ${(value as Blob).type}`})`;
    case "Date":
      return Number.isNaN((value as Date).getTime()) ? "Invalid Date" : undefined;
    default:
  }
  if (isNode(value)) return renderNode(value);
  if (ArrayBuffer.isView(value) && "length" in value) {
    const items = value as unknown as ArrayLike<unknown>;
    const first = Array.from({ length: Math.min(items.length, TYPED_ARRAY_ITEMS_MAX) }, (_, at) => items[at]);
    return `${tag}(${items.length}) [${first.join()}${items.length > first.length ? ",…" : ""}]`;
  }
  if (/^Weak|^Promise$/.test(tag)) return tag;
  if (/ArrayBuffer$|^DataView$/.test(tag)) return `${tag}(${(value as ArrayBuffer).byteLength})`;
  return undefined;
}

/** A list of nodes as `[<li "a">,<li "b">]`; `undefined` for any other value. */
export function nodes(value: object): string | undefined {
  const list = Array.isArray(value)
    ? value.length > 0 && value.every((one) => typeof one === "object" && one !== null && isNode(one as object))
    : isNodeList(tagOf(value));
  return list ? `[${Array.from(value as ArrayLike<Node>, renderNode).join()}]` : undefined;
}

export function errorText(error: object): string {
  const { name, message } = error as { name?: unknown; message?: unknown };
  const text = typeof message === "string" ? message : "";
  const called = typeof name === "string" ? name : "Error";
  return text === "" ? called : `${called}: ${text}`;
}

function renderFunction(value: { readonly name: string }): string {
  const source = Function.prototype.toString.call(value);
  if (/^class\b/.test(source)) return `class ${value.name}`;
  const parameters =
    /^(?:async\s+)?(?:function)?[^(=]*\(([^)]*)\)/.exec(source)?.[1] ??
    /^(?:async\s+)?([\w$]+)\s*=>/.exec(source)?.[1] ??
    "";
  return clip(`ƒ ${value.name}(${parameters.replace(/\s+/g, " ").trim()})`, FUNCTION_CHARS_MAX);
}

export function copy(value: unknown, membersMax = COPY_MEMBERS_MAX): Json {
  const above: object[] = [];
  let members = 0;
  let instances = 0;

  const visit = (one: unknown, instanceDepth: number): Json => {
    try {
      if (typeof one === "string" || typeof one === "boolean" || one === null) return one;
      const text = short(one);
      if (text !== undefined) return text;
      if (typeof one === "number") return one;
      const object = one as object;
      if (above.includes(object)) return "[Circular]";
      if (above.length >= VALUE_DEPTH_MAX || members > membersMax) return CUT;
      above.push(object);
      try {
        return inside(object, instanceDepth);
      } finally {
        above.pop();
      }
    } catch (error) {
      return threw(error);
    }
  };

  const list = (items: Iterable<unknown>, instanceDepth: number): Json[] => {
    const copies: Json[] = [];
    for (const item of items) {
      if (++members > membersMax) {
        copies.push(CUT);
        break;
      }
      copies.push(visit(item, instanceDepth));
    }
    return copies;
  };

  const inside = (object: object, instanceDepth: number): Json => {
    const tag = tagOf(object);
    if (Array.isArray(object)) return list(object, instanceDepth);
    if (tag === "Set" || isNodeList(tag)) return list(object as Set<unknown>, instanceDepth);
    if (tag === "Map") {
      const map = object as Map<unknown, unknown>;
      if (![...map.keys()].every((key) => typeof key === "string")) return list(map, instanceDepth);
      return record([...map.keys()] as string[], (key) => map.get(key), instanceDepth);
    }
    const { toJSON } = object as { toJSON?: unknown };
    if (typeof toJSON === "function") return visit(toJSON.call(object, ""), instanceDepth);
    const boxed: unknown =
      tag === "Number" || tag === "String" || tag === "Boolean" || tag === "BigInt" ? object.valueOf() : object;
    if (typeof boxed !== "object") return visit(boxed, instanceDepth);
    const plain = isPlain(object);
    const keys = Object.keys(object);
    if (!plain && keys.length === 0 && tag !== "Object") return host(object, tag);
    if (!plain && (++instances > COPY_INSTANCES_MAX || instanceDepth >= COPY_INSTANCE_DEPTH_MAX)) {
      return `[${object.constructor.name}]`;
    }
    return record(keys, (key) => (object as Record<string, unknown>)[key], plain ? instanceDepth : instanceDepth + 1);
  };

  const record = (keys: readonly string[], get: (key: string) => unknown, instanceDepth: number): Json => {
    const copies: [string, Json][] = [];
    for (const key of keys) {
      if (++members > membersMax) {
        copies.push(["…", CUT]);
        break;
      }
      try {
        copies.push([key, visit(get(key), instanceDepth)]);
      } catch (error) {
        copies.push([key, threw(error)]);
      }
    }
    return Object.fromEntries(copies);
  };

  return visit(value, 0);
}

/** A host object without own members: its tag, and its text if it has one. */
function host(object: object, tag: string): string {
  const text = String(object);
  return text === `[object ${tag}]` || text === "" ? tag : `${tag} ${text}`;
}

function threw(error: unknown): string {
  try {
    return `[threw ${typeof error === "object" && error !== null ? errorText(error) : String(error)}]`;
  } catch {
    return "[threw]";
  }
}
