// Names elements for agents: `e5` is one element as long as its document lives, and never another.

interface Named {
  readonly element: WeakRef<Element>;
  /** As it was shown last. */
  line: string;
}

const named = new Map<number, Named>();
const numbers = new WeakMap<Element, number>();
let last = 0;

export const REF = /^@?e(\d+)$/;

export function refOf(element: Element): string {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++last;
    numbers.set(element, number);
    named.set(number, { element: new WeakRef(element), line: "" });
  }
  return `e${number}`;
}

export function shownAs(element: Element, line: string): void {
  const one = named.get(numbers.get(element) ?? 0);
  if (one !== undefined) one.line = line;
}

/** The element, if it is still in its document, and how it was shown last. `undefined` for what was never given. */
export function referred(ref: string): { readonly element: Element | undefined; readonly line: string } | undefined {
  const one = named.get(Number(REF.exec(ref)?.[1] ?? 0));
  if (one === undefined) return undefined;
  const element = one.element.deref();
  return { element: element?.isConnected === true ? element : undefined, line: one.line };
}
