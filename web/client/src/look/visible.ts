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
  // What the browser does not lay out, as with `hidden=until-found`.
  if (style.display === "none" || style.contentVisibility === "hidden") return true;
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

/**
 * Whether the page keeps it from agents: a dialog that is open does so with everything else, and an icon says nothing.
 * `always`: only what is so with and without a dialog, and no part of the page that holds controls.
 */
export function isSilenced(element: Element, always = false): boolean {
  if (!isSet(element, "aria-hidden") && !element.hasAttribute("inert")) return false;
  if (!always || element.childElementCount === 0) return true;
  return element.parentElement?.localName !== "body" && element.querySelector(FOCUSABLE) === null;
}

const FOCUSABLE = "a[href],button,input,select,textarea,[tabindex]";

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
  // Controls of one pixel are drawn by their labels, or by what is around them.
  if (element.localName === "input") {
    const { labels } = element as HTMLInputElement;
    const drawn = labels === null || labels.length === 0 || [...labels].some(hasDrawing);
    return drawn && element.getClientRects().length > 0;
  }
  if (takesKeys(element)) return element.getClientRects().length > 0;
  return [...element.children].some(hasSize);
}

/** Whether it is there for screen readers alone: a pixel that cuts off what is in it. */
export function isClippedAway(element: Element, style: CSSStyleDeclaration): boolean {
  // Reading a style takes its time: the rarer first.
  if (!/^(?:absolute|fixed)$/.test(style.position) || style.overflow === "visible") return false;
  const { width, height } = element.getBoundingClientRect();
  return width <= 1 && height <= 1;
}

/** Whether no scrolling brings it into view: it is before the beginning of its page, as links to skip to are. */
export function isBeyond(element: Element): boolean {
  const view = element.ownerDocument.defaultView ?? window;
  const { right, bottom, width } = element.getBoundingClientRect();
  if (width === 0 || (right + view.scrollX > 0 && bottom + view.scrollY > 0)) return false;
  if (bottom + view.scrollY > 0 && styleOf(element.ownerDocument.documentElement).direction === "rtl") return false;
  for (let at: Element | null = element.parentElement; at !== null; at = at.parentElement)
    if (at.scrollTop !== 0 || at.scrollLeft !== 0) return false;
  return true;
}

/** Whether a label is seen, or something in it but the control. */
function hasDrawing(label: Element): boolean {
  const { width, height } = label.getBoundingClientRect();
  return (width > 1 && height > 1) || [...label.children].some((one) => one.localName !== "input" && hasSize(one));
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
