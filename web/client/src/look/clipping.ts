// The part of a box that can be seen: the boxes that clip it, and the offset of its document from the top one.

import { frameBody } from "./tree.js";
import { type Box, clipped, overlaps } from "./visible.js";

export interface Clipping {
  /** `undefined`: nothing is clipped. */
  readonly clip: Box | undefined;
  /** The clip of absolutely positioned descendants: overflow clips them only from their containing block upwards. */
  readonly absolute: Box | undefined;
  /** The clip of fixed descendants, which only an ancestor with a transform contains. */
  readonly fixed: Box | undefined;
  readonly dx: number;
  readonly dy: number;
  /** The text is part of a name that was already written. */
  readonly silent: boolean;
  /** Inside of a one-pixel box for screen readers: only fields count, which something else draws. */
  readonly pixel: boolean;
  /** Whether `aria-disabled` of an element around it disables it. */
  readonly disabled: boolean;
}

export function clippingOf(clip: Box | undefined, disabled: boolean): Clipping {
  return { clip, absolute: clip, fixed: clip, dx: 0, dy: 0, silent: false, pixel: false, disabled };
}

/** The place of an element itself, from its parent's place for content. */
export function own(style: CSSStyleDeclaration, place: Clipping): Clipping {
  if (place.clip === undefined) return place;
  const { position } = style;
  if (position === "fixed") return { ...place, clip: place.fixed };
  return position === "absolute" ? { ...place, clip: place.absolute } : place;
}

/** The place of an element's content. */
export function within(element: Element, style: CSSStyleDeclaration, place: Clipping): Clipping {
  if (place.clip === undefined) return place;
  if (frameBody(element) !== undefined) {
    const box = boxOf(element, place);
    const clip = clipped(place.clip, box);
    return { ...place, clip, absolute: clip, fixed: clip, dx: box.left, dy: box.top };
  }
  const clips = style.overflow !== "visible" && !/^(?:body|html)$/.test(element.localName);
  const clip = clips ? clipped(place.clip, boxOf(element, place)) : place.clip;
  const contains = isContaining(style);
  const absolute = contains || style.position !== "static" ? clip : place.absolute;
  return { ...place, clip, absolute, fixed: contains ? clip : place.fixed };
}

/** Whether the element is the containing block of its fixed descendants, too. */
function isContaining({ transform, filter, perspective, contain, backdropFilter }: CSSStyleDeclaration): boolean {
  if (transform !== "none" || filter !== "none" || perspective !== "none") return true;
  return /paint|layout|strict|content/.test(contain) || (backdropFilter ?? "none") !== "none";
}

export function boxOf(element: Element, { dx, dy }: Clipping): Box {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy };
}

export function isSeen(element: Element, place: Clipping): boolean {
  return place.clip === undefined || overlaps(boxOf(element, place), place.clip);
}
