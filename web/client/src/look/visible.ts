// Whether a person can see an element, and where.

import { above, isSet, styleOf, takesKeys } from "./tree.js";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Whether the element itself is not drawn; its surroundings may hide it too. */
export function hides(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.display === "none") return true;
  // A control is often made invisible and drawn by its label; what fades in is seen a moment later.
  return (
    style.opacity === "0" &&
    !/^(?:input|select|textarea)$/.test(element.localName) &&
    element.getAnimations().length === 0
  );
}

export function isVisible(element: Element): boolean {
  if (!element.isConnected || !element.checkVisibility({ visibilityProperty: true }) || !hasSize(element)) return false;
  for (let at: Element | null = element; at !== null; at = above(at)) if (hides(at, styleOf(at))) return false;
  return true;
}

/** Whether the page keeps it from agents: a dialog that is open does so with everything else, and an icon says nothing. */
export function isSilenced(element: Element): boolean {
  return isSet(element, "aria-hidden") || element.hasAttribute("inert");
}

/** Visible, and not kept from agents by anything around it. */
export function isOffered(element: Element): boolean {
  if (!isVisible(element)) return false;
  for (let at: Element | null = element; at !== null; at = above(at)) if (isSilenced(at)) return false;
  return true;
}

/** One without a box of its own may still hold something that has one. */
export function hasSize(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  if (width > 1 && height > 1) return true;
  // Controls of one pixel are drawn by their labels.
  if (element.localName === "input" || takesKeys(element)) return element.getClientRects().length > 0;
  return [...element.children].some(hasSize);
}

export function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export function clipped(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

export function isDisabled(element: Element): boolean {
  if (element.matches(":disabled")) return true;
  for (let at: Element | null = element; at !== null; at = above(at)) if (isSet(at, "aria-disabled")) return true;
  return false;
}
