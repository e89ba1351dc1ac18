// Where a part of the page can be seen: the boxes that clip it, and how far its document is from the corner of the top
// one.

import { frameBody } from "./tree.js";
import { type Box, clipped, overlaps } from "./visible.js";

export interface Place {
  /** `undefined`: nothing is out of sight. */
  readonly clip: Box | undefined;
  /** What clips absolutely positioned descendants: overflow counts only from their containing block upwards. */
  readonly absolute: Box | undefined;
  /** The same for fixed ones, which only an ancestor with a transform contains. */
  readonly fixed: Box | undefined;
  readonly dx: number;
  readonly dy: number;
  /** The text is part of a name that was written already. */
  readonly silent: boolean;
  /** In a pixel for screen readers: a field there is drawn by something else, and nothing else is seen. */
  readonly pixel: boolean;
}

export function placeOf(clip: Box | undefined): Place {
  return { clip, absolute: clip, fixed: clip, dx: 0, dy: 0, silent: false, pixel: false };
}

/** The place of an element itself, from the place that its parent gives to its content. */
export function own({ position }: CSSStyleDeclaration, place: Place): Place {
  if (position === "fixed") return { ...place, clip: place.fixed };
  return position === "absolute" ? { ...place, clip: place.absolute } : place;
}

/** The place of its content. */
export function within(element: Element, style: CSSStyleDeclaration, place: Place): Place {
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

/** Whether it is the containing block of its fixed descendants, too. */
function isContaining({ transform, filter, perspective, contain, backdropFilter }: CSSStyleDeclaration): boolean {
  if (transform !== "none" || filter !== "none" || perspective !== "none") return true;
  return /paint|layout|strict|content/.test(contain) || (backdropFilter ?? "none") !== "none";
}

export function boxOf(element: Element, { dx, dy }: Place): Box {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy };
}

export function isSeen(element: Element, place: Place): boolean {
  return place.clip === undefined || overlaps(boxOf(element, place), place.clip);
}
