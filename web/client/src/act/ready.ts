// Waits until a target is ready for an action: unique, visible, enabled, at rest, and not covered.

import { READY_LOOK_MS } from "../core/limits.js";
import { find, lineOf, listed, nearest, renamed } from "../look/find.js";
import { hitAt, isOf } from "../look/hit.js";
import { kindOf } from "../look/kind.js";
import { isDisabled, isVisible } from "../look/visible.js";
import type { Core } from "../core/part.js";
import { late, misused } from "../page/verb.js";

export interface Spot {
  readonly element: Element;
  /** What a pointer hits there: the element, something inside it, or its label. */
  readonly hit: Element;
  readonly x: number;
  readonly y: number;
}

export interface Tools {
  /** Set to use synthetic events although real input is available. */
  readonly synthetic?: boolean;
  readonly core: Core;
  readonly signal: AbortSignal;
  /** The `performance.now` at which waiting ends. */
  readonly deadline: number;
  readonly timeoutMs: number;
  /** Called while a frame is waited for. `rests`: whether the target may be at rest; else it has moved. */
  readonly waits?: (rests: boolean) => void;
}

/** `touch`: a pointer must be able to hit the element. */
export async function ready(
  target: unknown,
  { core, signal, deadline, timeoutMs, waits }: Tools,
  touch = true,
): Promise<Spot> {
  let box = "";
  let rests = true;
  const other = renamed(target);
  if (other !== undefined) throw misused(other);
  for (;;) {
    signal.throwIfAborted();
    const spot = tried(target, touch);
    if (typeof spot !== "string") {
      const { left, top, width, height } = spot.element.getBoundingClientRect();
      const now = [left, top, width, height].join();
      if (now === box) return spot;
      rests = box === "";
      box = now;
    }
    if (performance.now() >= deadline) {
      const why = typeof spot === "string" ? spot : "it does not come to rest";
      throw late(
        `${named(target)}: ${why}, within ${timeoutMs / 1000} s`,
        why === NOTHING ? { hint: nearest(target) } : undefined,
      );
    }
    // A missing element is looked for less often than every frame.
    if (typeof spot === "string") await new Promise<void>((resolve) => core.after(READY_LOOK_MS, resolve));
    else {
      const turned = frame(core);
      waits?.(rests);
      await turned;
    }
  }
}

const NOTHING = "nothing there";

/** Where to act now, or the reason why that is not possible. */
function tried(target: unknown, touch: boolean): Spot | string {
  const { elements, never } = find(target);
  const [element] = elements;
  if (never !== undefined) throw misused(never, nearest(target));
  if (element === undefined) return NOTHING;
  if (elements.length > 1) throw misused(`${String(target)} is ${elements.length} elements`, listed(elements));
  const label = isVisible(element) && !isPixel(element) ? undefined : labelOf(element);
  if (label !== undefined && touch) return labelled(element, label);
  if (!isVisible(element)) return "it is not visible";
  if (isDisabled(element)) return "it is disabled";
  if (!touch) {
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    return { element, hit: element, ...middle(element.getBoundingClientRect()) };
  }
  const covering = new Set<Element>();
  for (const place of [undefined, "nearest", "center"] as const) {
    if (place !== undefined) element.scrollIntoView({ block: place, inline: place, behavior: "instant" });
    for (const { x, y } of points(element)) {
      const hit = hitAt(element.ownerDocument, x, y);
      if (hit === undefined) continue;
      if (isOf(element, hit)) return { element, hit, x, y };
      // A checkbox is clicked itself; a slider or an editor gets pointer input through the element that draws it.
      if (isDrawnBy(element, hit)) return { element, hit: TICKED.test(kindOf(element) ?? "") ? element : hit, x, y };
      covering.add(hit);
    }
  }
  const [first] = covering;
  return first === undefined ? "it is out of view" : `it is covered by ${lineOf(first)}`;
}

/** Whether a checkbox or radio button is a pixel at most, so that people click its label: stars of a rating. */
function isPixel(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width <= 1 && height <= 1 && TICKED.test(kindOf(element) ?? "");
}

/** The visible label of a control that is not drawn itself. */
function labelOf(element: Element): Element | undefined {
  return [...((element as HTMLInputElement).labels ?? [])].find(isVisible);
}

function labelled(element: Element, label: Element): Spot | string {
  label.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  for (const { x, y } of points(label)) {
    const hit = hitAt(element.ownerDocument, x, y);
    if (hit !== undefined && isOf(label, hit)) return { element, hit, x, y };
  }
  return "its label is covered";
}

const TICKED = /^(?:check|choice|file)$/;
const DRAWN = /^(?:field|check|choice|slider|file)$/;

/**
 * Whether the hit element only draws the control (a track, a thumb, the lines of an editor) and is no control itself.
 */
function isDrawnBy(element: Element, hit: Element): boolean {
  const around = element.parentElement;
  if (around === null || !DRAWN.test(kindOf(element) ?? "") || !around.contains(hit)) return false;
  for (let at: Element | null = hit; at !== null && at !== around; at = at.parentElement)
    if (kindOf(at) !== undefined && kindOf(at) !== "area") return false;
  return true;
}

/** Resolves `[x, y]`, relative to the page or to a target. */
export function spotAt(at: unknown, within?: Spot): Spot {
  const [x, y] = Array.isArray(at) ? (at as unknown[]) : [];
  if (typeof x !== "number" || typeof y !== "number") throw misused("a place is [x, y] in pixels");
  const { left, top } = within?.element.getBoundingClientRect() ?? { left: 0, top: 0 };
  const hit = hitAt(within?.element.ownerDocument ?? document, left + x, top + y);
  if (hit === undefined) throw misused(`${x},${y} is out of view`);
  return { element: within?.element ?? hit, hit, x: left + x, y: top + y };
}

function named(target: unknown): string {
  return target instanceof Element ? lineOf(target) : String(target);
}

/** The middle and then other points of the visible part. */
function points(element: Element): { x: number; y: number }[] {
  const { innerWidth, innerHeight } = element.ownerDocument.defaultView ?? window;
  const found: { x: number; y: number }[] = [];
  for (const box of element.getClientRects()) {
    const left = Math.max(box.left, 0);
    const top = Math.max(box.top, 0);
    const width = Math.min(box.right, innerWidth) - left;
    const height = Math.min(box.bottom, innerHeight) - top;
    if (width <= 0 || height <= 0) continue;
    for (const [part, down] of [
      [0.5, 0.5],
      [0.2, 0.5],
      [0.8, 0.5],
      [0.5, 0.2],
      [0.5, 0.8],
    ] as const)
      found.push({ x: left + width * part, y: top + height * down });
  }
  return found;
}

export function middle({ left, top, width, height }: DOMRect): { x: number; y: number } {
  return { x: left + width / 2, y: top + height / 2 };
}

/** The next frame, or a timer: hidden tabs have no frames. */
export function frame(core: Core): Promise<void> {
  return new Promise((resolve) => {
    if (!document.hidden) requestAnimationFrame(() => resolve());
    core.after(READY_LOOK_MS, resolve);
  });
}
