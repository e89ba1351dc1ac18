// The document that a page publishes: what JSON makes of its source, kept to know what changed since. It sends nothing.

import { compare, type Operation } from "fast-json-patch";
import { STATE_BYTES_MAX } from "../generated/protocol.js";
import { PATCH_CHARS_ALWAYS, VALUE_DEPTH_MAX } from "../core/limits.js";
import type { StateSource } from "./source.js";

/** The source gave a value that cannot be published. */
export class Unfit extends Error {}

const MEBIBYTE = 1024 * 1024;

export interface PublishedDocument {
  /** Whether there has been one. */
  readonly exists: boolean;
  readonly whole: { readonly state: unknown; readonly revision: number };
  /**
   * Reads the source: the patch since the last time, empty if nothing changed, `undefined` if only the whole will do.
   * Throws what the source throws, or `Unfit`; the document is then the one before.
   */
  read(source: StateSource): readonly Operation[] | undefined;
}

export function publishedDocument(): PublishedDocument {
  let text: string | undefined;
  let state: unknown;
  let revision = 0;
  return {
    get exists() {
      return text !== undefined;
    },
    get whole() {
      return { state, revision };
    },
    read(source) {
      const now = written(source);
      if (now === text || now === undefined) return [];
      const next: unknown = JSON.parse(now);
      if (isDeep(next, VALUE_DEPTH_MAX)) throw new Unfit(`the state is more than ${VALUE_DEPTH_MAX} levels deep`);
      const patch =
        isTree(state) && isTree(next) && Array.isArray(state) === Array.isArray(next)
          ? compare(state, next)
          : undefined;
      text = now;
      state = next;
      if (patch === undefined) revision++;
      // Members that changed places are no change.
      else if (patch.length > 0) {
        revision++;
        if (JSON.stringify(patch).length > Math.max(now.length, PATCH_CHARS_ALWAYS)) return undefined;
      }
      return patch;
    },
  };
}

/** `undefined` for a source that has nothing yet. */
function written(source: StateSource): string | undefined {
  const value: unknown = typeof source === "function" ? (source as () => unknown)() : source;
  if (typeof (value as { then?: unknown } | null | undefined)?.then === "function")
    throw new Unfit("the state is a promise; it must be there at once");
  // For a function or undefined there is no text, whatever the library's types say.
  const text = JSON.stringify(value) as string | undefined;
  // One UTF-16 unit is at most three bytes, and only what could be too large is measured.
  const bytes = text !== undefined && text.length * 3 > STATE_BYTES_MAX ? new Blob([text]).size : 0;
  if (bytes > STATE_BYTES_MAX)
    throw new Unfit(
      `the state is ${(bytes / MEBIBYTE).toFixed(1)} MiB, over the limit of ${STATE_BYTES_MAX / MEBIBYTE} MiB`,
    );
  return text;
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isDeep(value: unknown, levels: number): boolean {
  return isTree(value) && (levels === 0 || Object.values(value).some((member) => isDeep(member, levels - 1)));
}
