// Refs: names of elements for agents. `e5` is one element as long as its document lives, and never another one, not in
// later documents either.

import { REFS_MAX } from "../core/limits.js";

interface Named {
  readonly element: WeakRef<Element>;
  /** Its last shown line. */
  line: string;
  name: string;
}

const named = new Map<number, Named>();
const numbers = new WeakMap<Element, number>();
let last = 0;
/** The highest number that an earlier document of this session assigned. */
let base = 0;

/** Numbers for comparing, which agents do not see. */
const provisional = new WeakMap<Element, number>();
const compared = new Map<number, WeakRef<Element>>();
let counted = 0;

export const REF = /^@?(f\d+)?e(\d+)$/;

/** The prefix of this document's refs: the number of its frame in the tab. */
let prefix = "";

export function prefixRefs(number: string): void {
  prefix = number;
}

/** The number of a ref; 0 for a ref of another frame. Refs without a prefix belong to the requested frame. */
function numberOf(ref: string): number {
  const [, frame = prefix, number = 0] = REF.exec(ref) ?? [];
  return frame === prefix ? Number(number) : 0;
}

/** Refs of this document continue after those of the documents before it. */
export function countFrom(number: number): void {
  base = Math.max(base, number);
  last = Math.max(last, base);
}

/** The highest assigned number. */
export function lastRef(): number {
  return last;
}

/** Whether an earlier document assigned this ref. */
export function isEarlier(ref: string): boolean {
  const number = numberOf(ref);
  return number > 0 && number <= base;
}

/** A ref for comparing: the same for the same element, and never a ref that agents see. */
export function provisionalRef(element: Element): string {
  const number = provisional.get(element) ?? ++counted;
  if (!compared.has(number)) {
    if (compared.size >= REFS_MAX)
      for (const [old, one] of compared) if (one.deref() === undefined) compared.delete(old);
    provisional.set(element, number);
    compared.set(number, new WeakRef(element));
  }
  return `e0.${number}`;
}

/** The element of the provisional ref at the beginning of a piece. */
export function comparedElement(piece: string): Element | undefined {
  return compared.get(Number(PROVISIONAL.exec(piece)?.[1] ?? 0))?.deref();
}

/** At the beginning, or after the mark of a heading. */
export const PROVISIONAL = /(?<=^(?:#+ )?)e0\.(\d+)(?= )/;

export function refOf(element: Element): string {
  const number = numbers.get(element) ?? ++last;
  numbers.set(element, number);
  if (!named.has(number)) {
    if (named.size >= REFS_MAX) forget();
    named.set(number, { element: new WeakRef(element), line: "", name: "" });
  }
  return `${prefix}e${number}`;
}

/** Drops elements that are gone; their numbers are not reused. */
function forget(): void {
  for (const [number, { element }] of named) if (element.deref()?.isConnected !== true) named.delete(number);
}

export function shownAs(element: Element, line: string, name: string): void {
  const one = named.get(numbers.get(element) ?? 0);
  if (one !== undefined) Object.assign(one, { line, name });
}

export interface Referred {
  /** `undefined` once the element is gone. */
  readonly element: Element | undefined;
  readonly line: string;
  readonly name: string;
}

/**
 * The element, if it is still in its document, and its last shown line. `undefined` for a ref that was never assigned.
 */
export function referred(ref: string): Referred | undefined {
  const one = named.get(numberOf(ref));
  if (one === undefined) return undefined;
  const element = one.element.deref();
  return { element: element?.isConnected === true ? element : undefined, line: one.line, name: one.name };
}
