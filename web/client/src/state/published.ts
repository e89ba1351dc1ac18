// The document that a page publishes: what JSON makes of its source, kept to know what changed since. It sends nothing.

import { STATE_BYTES_MAX } from "../generated/protocol.js";
import { PATCH_CHARS_ALWAYS, VALUE_DEPTH_MAX } from "../core/limits.js";
import { areAlike, copyOf, differenceOf, isTree, jsonOf, TooDeep } from "./difference.js";
import type { Operation, Origins, Tree } from "./difference.js";
import type { StateSource } from "./source.js";

/** The source gave a value that cannot be published. */
export class Unfit extends Error {}

const MEBIBYTE = 1024 * 1024;

/** One UTF-16 unit is at most so many bytes of UTF-8. */
const CHAR_BYTES_MAX = 3;

export interface PublishedDocument {
  /** Whether there has been one. */
  readonly exists: boolean;
  readonly whole: { readonly state: unknown; readonly revision: number };
  /**
   * Reads the source: the patch since the last time, empty if nothing changed, `undefined` if only the whole will do.
   * Throws what the source throws, or `Unfit`; the document is then the one before.
   */
  read(source: StateSource): readonly Operation[] | undefined;
  /** From now on, a part of the source that is the same object as before is taken for unchanged, or not. */
  immutable(is: boolean): void;
}

export function publishedDocument(): PublishedDocument {
  /** `undefined`: there was none. */
  let state: unknown;
  let revision = 0;
  /** Characters of its JSON text. */
  let chars = 0;
  /** Bytes of its JSON text, at most. */
  let bytesMost = 0;
  let origins: Origins | undefined;

  const replace = (value: unknown): undefined | [] => {
    const next = isTree(value) ? copyOf(value, origins) : value;
    if (next === state) return [];
    const text = JSON.stringify(next);
    bytesMost = bytesOf(text);
    chars = text.length;
    state = next;
    revision++;
    return undefined;
  };

  const changed = (value: object): readonly Operation[] | undefined => {
    const { copy, patch, chars: more } = differenceOf(state as Tree, value, origins);
    // Members that changed places are no change.
    if (patch.length === 0) return patch;
    const most = bytesMost + Math.max(0, more) * CHAR_BYTES_MAX;
    bytesMost = most > STATE_BYTES_MAX ? bytesOf(JSON.stringify(copy)) : most;
    chars += more;
    state = copy;
    revision++;
    return JSON.stringify(patch).length > Math.max(chars, PATCH_CHARS_ALWAYS) ? undefined : patch;
  };

  return {
    get exists() {
      return state !== undefined;
    },
    get whole() {
      return { state, revision };
    },
    read(source) {
      const value = jsonOf(valueOf(source), "");
      // It has nothing yet.
      if (value === undefined) return [];
      try {
        return areAlike(state, value) ? changed(value as object) : replace(value);
      } catch (error) {
        if (!(error instanceof TooDeep)) throw error;
        throw new Unfit(`the state is more than ${VALUE_DEPTH_MAX} levels deep`);
      }
    },
    immutable(is) {
      origins = is ? new WeakMap() : undefined;
    },
  };
}

function valueOf(source: StateSource): unknown {
  const value: unknown = typeof source === "function" ? (source as () => unknown)() : source;
  if (typeof (value as { then?: unknown } | null | undefined)?.then === "function")
    throw new Unfit("the state is a promise; it must be there at once");
  return value;
}

/** Bytes of a document's text at most; only what could be too large is measured. */
function bytesOf(text: string): number {
  const most = text.length * CHAR_BYTES_MAX;
  const bytes = most > STATE_BYTES_MAX ? new Blob([text]).size : most;
  if (bytes > STATE_BYTES_MAX)
    throw new Unfit(
      `the state is ${(bytes / MEBIBYTE).toFixed(1)} MiB, over the limit of ${STATE_BYTES_MAX / MEBIBYTE} MiB`,
    );
  return bytes;
}
