// What a picture of the page shows: the refs of `look` with their places, and what lies in a part of it. Asked by the
// browser's driver.

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

/** From left and top of the tab's viewport, and how large: in CSS pixels. */
type Region = readonly [x: number, y: number, width: number, height: number];

const NAMED_MAX = 3;
/** More marks cover the picture, and the browser's driver refuses them. */
const MARKS_MAX = 1_000;
/** What is so much larger than a part is around it, not in it. */
const AROUND = 30;

/** Where an element is in the viewport of the tab, also one in a frame. */
export function rectOf(element: Element): Rect {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { ...inTop({ x, y }, element), width, height };
}

/** What `look` gives refs to, as a picture shows it. */
function shown(root: Element, all: boolean): Map<Element, Rect> {
  const found = new Map<Element, Rect>();
  outline(root, { all, fold: !all, met: (element, seen) => found.set(element, rectOf(seen)) });
  return found;
}

/** `[[ref, x, y, width, height], …]` of what can be acted on. */
export function marks(root: Element, all: boolean): readonly unknown[] {
  const first = [...shown(root, all)].slice(0, MARKS_MAX);
  return first.map(([element, { x, y, width, height }]) => [refOf(element), x, y, width, height]);
}

/** What lies in each part, in words: what can be acted on there, or else what a pointer hits. */
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
