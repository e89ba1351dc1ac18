// Describes a picture of the page, for the browser's driver: the places of `look`'s refs, and what is inside given
// regions.

import { renderNode } from "../core/element.js";
import { describe } from "./describe.js";
import { hitAt } from "./hit.js";
import { outline } from "./outline.js";
import { refOf } from "./refs.js";
import { inTop } from "./tree.js";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** In CSS pixels, relative to the tab's viewport. */
type Region = readonly [x: number, y: number, width: number, height: number];

const NAMED_MAX = 3;
/** More marks would cover the picture; the browser's driver refuses them. */
const MARKS_MAX = 1_000;
/** An element that is this many times larger than a region surrounds it rather than lying in it. */
const AROUND = 30;

/** The box of an element in the tab's viewport, also for an element in a frame. */
export function rectOf(element: Element): Rect {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { ...inTop({ x, y }, element), width, height };
}

/** The elements that `look` gives refs to, with the boxes that show them. */
function shown(root: Element, all: boolean): Map<Element, Rect> {
  const found = new Map<Element, Rect>();
  outline(root, { all, fold: !all, met: (element, seen) => found.set(element, rectOf(seen)) });
  return found;
}

/** `[[ref, x, y, width, height], …]` of the controls. */
export function marks(root: Element, all: boolean): readonly unknown[] {
  const first = [...shown(root, all)].slice(0, MARKS_MAX);
  return first.map(([element, { x, y, width, height }]) => [refOf(element), x, y, width, height]);
}

/** A description of each region: its controls, or else what a pointer hits. */
export function named(root: Element, regions: readonly Region[]): readonly string[] {
  const those = [...shown(root, true)];
  return regions.map(([x, y, width, height]) => {
    const inside = those
      .filter(([, box]) => box.x < x + width && x < box.x + box.width && box.y < y + height && y < box.y + box.height)
      .filter(([, box]) => box.width * box.height <= AROUND * width * height)
      .sort(([, a], [, b]) => a.width * a.height - b.width * b.height)
      .map(([element]) => describe(element));
    if (inside.length > NAMED_MAX) inside.splice(NAMED_MAX, Infinity, `${inside.length - NAMED_MAX} more`);
    if (inside.length > 0) return inside.join(", ");
    const hit = hitAt(document, x + width / 2, y + height / 2);
    return hit === undefined || hit.localName === "body" || hit.localName === "html" ? "" : renderNode(hit);
  });
}
