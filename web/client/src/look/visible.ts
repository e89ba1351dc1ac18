// Whether a person can see an element, and where.

import { above, isSet, styleOf, takesKeys } from "./tree.js";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The rows of a table and their groups, which the browser always lays out. */
const LAID_OUT = /^table-(?:row|header|footer)/;

/** Whether the element itself is not drawn; its ancestors may hide it too. */
export function hides(element: Element, style: CSSStyleDeclaration, display = style.display): boolean {
  if (display === "none") return true;
  // Content that the browser does not lay out, as with `hidden=until-found`.
  if (!LAID_OUT.test(display) && style.contentVisibility === "hidden") return true;
  // Controls are often made transparent and drawn by their labels; an element that fades in is visible a moment later.
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
 * Whether the page hides an element from agents: an open dialog does so with everything else, and an icon is often
 * marked so. `always`: only elements that are hidden independent of a dialog, which excludes parts of the page with
 * controls.
 */
export function isSilenced(element: Element, always = false): boolean {
  if (!isSet(element, "aria-hidden") && !element.hasAttribute("inert")) return false;
  if (!always || element.childElementCount === 0) return true;
  return element.parentElement?.localName !== "body" && element.querySelector(FOCUSABLE) === null;
}

const FOCUSABLE = "a[href],button,input,select,textarea,[tabindex]";

/** Whether an element is visible, and not hidden from agents by any ancestor. */
export function isOffered(element: Element): boolean {
  if (!isVisible(element)) return false;
  for (let at: Element | null = element; at !== null; at = above(at)) if (isSilenced(at)) return false;
  return true;
}

/** Whether an element has a visible size; one without a box may contain one with a box. */
export function hasSize(element: Element, { width, height } = element.getBoundingClientRect()): boolean {
  if (width > 1 && height > 1) return true;
  // Controls of one pixel are drawn by their labels, or by the elements around them.
  if (element.localName === "input") {
    const { labels } = element as HTMLInputElement;
    const drawn = labels === null || labels.length === 0 || [...labels].some(hasDrawing);
    return drawn && element.getClientRects().length > 0;
  }
  if (takesKeys(element)) return element.getClientRects().length > 0;
  return [...element.children].some((child) => hasSize(child));
}

/** How an element is displayed that is in the flow: `position` turns these into blocks. */
const IN_FLOW = /^(?:inline|table-)/;

/** Whether an element is for screen readers only: a pixel that clips its content. */
export function isClippedAway(element: Element, style: CSSStyleDeclaration, display = style.display): boolean {
  // The cheaper checks come first.
  if (IN_FLOW.test(display)) return false;
  if (!/^(?:absolute|fixed)$/.test(style.position) || style.overflow === "visible") return false;
  const { width, height } = element.getBoundingClientRect();
  return width <= 1 && height <= 1;
}

/** Whether no scrolling brings it into view: it is left of or above the page's origin, as skip links are. */
export function isBeyond(element: Element, { right, bottom, width } = element.getBoundingClientRect()): boolean {
  // In most pages scrolling is never negative, and reading how far a page is scrolled has it laid out.
  if (width === 0 || (right > 0 && bottom > 0)) return false;
  const view = element.ownerDocument.defaultView ?? window;
  if (right + view.scrollX > 0 && bottom + view.scrollY > 0) return false;
  if (bottom + view.scrollY > 0 && styleOf(element.ownerDocument.documentElement).direction === "rtl") return false;
  for (let at: Element | null = element.parentElement; at !== null; at = at.parentElement)
    if (at.scrollTop !== 0 || at.scrollLeft !== 0) return false;
  return true;
}

/** Whether a label is visible, or something in it besides the control. */
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
  return element.matches(":disabled") || isMarkedDisabled(element);
}

/** Whether `aria-disabled` of the element, or of one around it, disables it. */
export function isMarkedDisabled(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = above(at)) if (isSet(at, "aria-disabled")) return true;
  return false;
}
