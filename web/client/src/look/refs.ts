// Names elements for agents: `e5` is one element as long as its document lives, and never another, in no later document
// either.

import { REFS_MAX } from "../core/limits.js";

interface Named {
  readonly element: WeakRef<Element>;
  /** As it was shown last. */
  line: string;
  name: string;
}

const named = new Map<number, Named>();
const numbers = new WeakMap<Element, number>();
let last = 0;
/** The highest number that an earlier document of this session gave. */
let base = 0;

/** For comparing, every element has a number that no agent sees. */
const provisional = new WeakMap<Element, number>();
const compared = new Map<number, WeakRef<Element>>();
let counted = 0;

export const REF = /^@?(f\d+)?e(\d+)$/;

/** What stands before every ref of this document: the number of its frame in the tab. */
let prefix = "";

export function prefixRefs(number: string): void {
  prefix = number;
}

/** The number of a ref. 0 for one of another frame: those without a frame are of the one that is asked. */
function numberOf(ref: string): number {
  const [, frame = prefix, number = 0] = REF.exec(ref) ?? [];
  return frame === prefix ? Number(number) : 0;
}

/** Refs of this document begin behind those of the documents before it. */
export function countFrom(number: number): void {
  base = Math.max(base, number);
  last = Math.max(last, base);
}

/** The highest number that was given so far. */
export function lastRef(): number {
  return last;
}

/** Whether an earlier document gave this ref. */
export function isEarlier(ref: string): boolean {
  const number = numberOf(ref);
  return number > 0 && number <= base;
}

/** A ref for comparing: the same for the same element, and no ref of an agent's. */
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

/** The element of a provisional ref at the beginning of a piece. */
export function comparedElement(piece: string): Element | undefined {
  return compared.get(Number(PROVISIONAL.exec(piece)?.[1] ?? 0))?.deref();
}

/** At the beginning, or behind the mark of a heading. */
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

/** Of those that are gone, how they were shown; their numbers are not used again. */
function forget(): void {
  for (const [number, { element }] of named) if (element.deref()?.isConnected !== true) named.delete(number);
}

export function shownAs(element: Element, line: string, name: string): void {
  const one = named.get(numbers.get(element) ?? 0);
  if (one !== undefined) Object.assign(one, { line, name });
}

export interface Referred {
  /** `undefined` once it is gone. */
  readonly element: Element | undefined;
  readonly line: string;
  readonly name: string;
}

/** The element, if it is still in its document, and how it was shown last. `undefined` for what was never given. */
export function referred(ref: string): Referred | undefined {
  const one = named.get(numberOf(ref));
  if (one === undefined) return undefined;
  const element = one.element.deref();
  return { element: element?.isConnected === true ? element : undefined, line: one.line, name: one.name };
}
