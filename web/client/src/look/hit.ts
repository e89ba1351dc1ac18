// What a pointer hits at a place of the page.

import { holds } from "./tree.js";

/** The topmost element there, inside of shadow roots too. */
export function hitAt(document: DocumentOrShadowRoot, x: number, y: number): Element | undefined {
  let hit = document.elementFromPoint(x, y) ?? undefined;
  while (hit?.shadowRoot) {
    const { shadowRoot }: Element = hit;
    // A slotted text is hit as its host; what the host draws around it is then the first of its own.
    const inner: Element | undefined = shadowRoot
      ?.elementsFromPoint(x, y)
      .find((one) => one.getRootNode() === shadowRoot);
    if (inner === undefined) break;
    hit = inner;
  }
  return hit;
}

/** Whether what is hit means this element: it is inside of it, or labels it. */
export function isOf(element: Element, hit: Element): boolean {
  if (holds(element, hit)) return true;
  const label = hit.closest("label");
  return label !== null && (label.control === element || label.contains(element));
}
