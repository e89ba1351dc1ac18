// Names elements for agents: `e5` is one element as long as its document lives, and never another.

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

export const REF = /^@?e(\d+)$/;

export function refOf(element: Element): string {
  const number = numbers.get(element) ?? ++last;
  numbers.set(element, number);
  if (!named.has(number)) {
    if (named.size >= REFS_MAX) forget();
    named.set(number, { element: new WeakRef(element), line: "", name: "" });
  }
  return `e${number}`;
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
  const one = named.get(Number(REF.exec(ref)?.[1] ?? 0));
  if (one === undefined) return undefined;
  const element = one.element.deref();
  return { element: element?.isConnected === true ? element : undefined, line: one.line, name: one.name };
}
