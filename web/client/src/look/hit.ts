// What a pointer hits at a place of the page.

import { holds } from "./tree.js";

/** The topmost element at a place, inside of shadow roots too. */
export function hitAt(document: DocumentOrShadowRoot, x: number, y: number): Element | undefined {
  let hit = document.elementFromPoint(x, y) ?? undefined;
  while (hit?.shadowRoot) {
    const { shadowRoot }: Element = hit;
    // `elementFromPoint` returns the host for slotted text; the first element of the host's own shadow root is then
    // meant.
    const inner: Element | undefined = shadowRoot
      ?.elementsFromPoint(x, y)
      .find((one) => one.getRootNode() === shadowRoot);
    if (inner === undefined) break;
    hit = inner;
  }
  return hit;
}

/** Whether a hit counts for this element: it is inside of the element, or in its label. */
export function isOf(element: Element, hit: Element): boolean {
  if (holds(element, hit)) return true;
  const label = hit.closest("label");
  return label !== null && (label.control === element || label.contains(element));
}
