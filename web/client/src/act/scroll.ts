// Scrolls the page or the nearest scrollable ancestor, and reports the position.

import { SCROLL_REST_FRAMES_MAX } from "../core/limits.js";
import type { Input } from "../core/part.js";
import { hitAt } from "../look/hit.js";
import { misused, type Params } from "../page/verb.js";
import { inTop } from "../look/tree.js";
import type { Point } from "./pointer.js";
import { realWheel } from "./real.js";

const PAGE_PART = 0.8;
/** Points of a box at which the wheel is tried, as parts of its width and height. */
const TRIED = [
  [0.5, 0.5],
  [0.5, 0.2],
  [0.5, 0.8],
  [0.05, 0.5],
  [0.95, 0.5],
] as const;

/** Scrolls, and returns a function that reports the position: lazy content loads and draws in later frames. */
export async function scroll(
  element: Element | undefined,
  params: Params,
  input: Input | undefined,
  frame: () => Promise<void>,
): Promise<() => string> {
  const { by, to } = params;
  const box = scrolling(element);
  if (element !== undefined && by === undefined && to === undefined)
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  else {
    const [left, top] = goal(box, params);
    if (input === undefined || !(await wheeled(box, left, top, input, frame)))
      box.scrollTo({ left, top, behavior: "instant" });
  }
  return () => {
    const { scrollTop, scrollLeft, scrollHeight, clientHeight } = box;
    const end = scrollTop + clientHeight >= scrollHeight - 1;
    return `at ${Math.round(scrollTop)} of ${Math.max(0, scrollHeight - clientHeight)} px${scrollLeft > 0 ? `, ${Math.round(scrollLeft)} px right` : ""}${end ? ", the end" : ""}`;
  };
}

/** The target position, within the scrollable range. */
function goal(box: Element, { by, to }: Params): [number, number] {
  const within = (at: number, end: number): number => Math.min(Math.max(at, 0), Math.max(end, 0));
  const { scrollLeft, scrollTop, scrollHeight, clientHeight } = box;
  const at = (left: number, top: number): [number, number] => [left, within(top, scrollHeight - clientHeight)];
  if (by !== undefined) {
    const [left, top] = pair(by, "by");
    return at(scrollLeft + left, scrollTop + top);
  }
  if (to === "top" || to === "bottom") return at(scrollLeft, to === "top" ? 0 : scrollHeight);
  if (to !== undefined && to !== "up" && to !== "down") return at(...pair(to, "to"));
  return at(scrollLeft, scrollTop + clientHeight * (to === "up" ? -PAGE_PART : PAGE_PART));
}

/** Whether the wheel scrolled the box there, or the page handled the wheel itself. */
async function wheeled(
  box: Element,
  left: number,
  top: number,
  input: Input,
  frame: () => Promise<void>,
): Promise<boolean> {
  const place = wheelPlace(box);
  if (place === undefined) return false;
  let isTaken = false;
  const view = box.ownerDocument.defaultView ?? window;
  const turned = (event: Event): void => {
    isTaken = event.defaultPrevented;
  };
  view.addEventListener("wheel", turned, { passive: true });
  try {
    await realWheel(input, inTop(place, box), left - box.scrollLeft, top - box.scrollTop);
    let last = Number.NaN;
    for (let frames = 0; frames < SCROLL_REST_FRAMES_MAX && last !== box.scrollTop + box.scrollLeft; frames++) {
      last = box.scrollTop + box.scrollLeft;
      await frame();
    }
  } finally {
    view.removeEventListener("wheel", turned);
  }
  return isTaken || (Math.abs(box.scrollTop - top) <= 1 && Math.abs(box.scrollLeft - left) <= 1);
}

/** A place at which the wheel scrolls this box and nothing inside of it. */
function wheelPlace(box: Element): Point | undefined {
  const root = box.ownerDocument;
  const view = root.defaultView ?? window;
  const isRoot = box === root.scrollingElement;
  const { left, top, right, bottom } = isRoot
    ? { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight }
    : box.getBoundingClientRect();
  const [x0, y0] = [Math.max(left, 0), Math.max(top, 0)];
  const [width, height] = [Math.min(right, view.innerWidth) - x0, Math.min(bottom, view.innerHeight) - y0];
  if (width <= 0 || height <= 0) return undefined;
  return TRIED.map(([across, down]) => ({ x: x0 + width * across, y: y0 + height * down })).find(({ x, y }) => {
    const hit = hitAt(root, x, y);
    return hit !== undefined && hit.localName !== "iframe" && scrolling(hit) === box;
  });
}

function scrolling(element: Element | undefined): Element {
  for (let at = element; at !== undefined; at = at.parentElement ?? undefined) {
    const { overflowY, overflowX } = getComputedStyle(at);
    if (
      (/auto|scroll/.test(overflowY) && at.scrollHeight > at.clientHeight) ||
      (/auto|scroll/.test(overflowX) && at.scrollWidth > at.clientWidth)
    )
      return at;
  }
  return (element?.ownerDocument ?? document).scrollingElement ?? document.documentElement;
}

function pair(value: unknown, name: string): [number, number] {
  const [x, y] = Array.isArray(value) ? (value as unknown[]) : [0, value];
  if (typeof x !== "number" || typeof y !== "number") throw misused(`${name} is [x, y] in pixels`);
  return [x, y];
}
