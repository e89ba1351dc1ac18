// Drags: by pointer events, or by HTML drag and drop where the element is draggable.

import { DRAG_STEPS, PRESS_MS } from "../core/limits.js";
import type { Capture, Core, PageWorld } from "../core/part.js";
import { cross, enter, fire, move, type Point, press, release, viewOf } from "./pointer.js";
import { hitAt } from "../look/hit.js";
import { frame, type Spot } from "./ready.js";

const MAIN_BUTTON = 1;

export async function drag(core: Core, world: PageWorld, from: Spot, to: () => Point): Promise<void> {
  const capture = world.capture(from.hit);
  try {
    await dragged(core, from, to, capture);
  } finally {
    capture.end();
  }
}

async function dragged(core: Core, from: Spot, to: () => Point, capture: Capture): Promise<void> {
  const start = { x: from.x, y: from.y };
  enter(from.hit, start);
  press(from.hit, start);
  await new Promise<void>((resolve) => core.after(PRESS_MS, resolve));
  const carried = from.hit.closest<HTMLElement>("[draggable=true],a[href],img");
  if (carried?.draggable === true && (await dropped(core, carried, start, to))) return;
  let hit = from.hit;
  for (let step = 1; step <= DRAG_STEPS; step++) {
    const at = between(start, to(), step);
    const under = hitAt(from.hit.ownerDocument, at.x, at.y) ?? hit;
    if (under !== hit && capture.element() === undefined) cross(under, at, MAIN_BUTTON);
    hit = under;
    move(capture.element() ?? hit, at, MAIN_BUTTON);
    await frame(core);
  }
  release(capture.element() ?? hit, to());
}

function between(start: Point, end: Point, step: number): Point {
  return { x: start.x + ((end.x - start.x) * step) / DRAG_STEPS, y: start.y + ((end.y - start.y) * step) / DRAG_STEPS };
}

/** Whether HTML drag and drop was used. A page may prevent `dragstart` and implement dragging by pointer. */
async function dropped(core: Core, carried: HTMLElement, start: Point, to: () => Point): Promise<boolean> {
  const view = viewOf(carried);
  const dataTransfer = new view.DataTransfer();
  const dispatch = (target: Element, type: string, { x, y }: Point): boolean =>
    target.dispatchEvent(
      new view.DragEvent(type, {
        bubbles: true,
        cancelable: true,
        composed: true,
        clientX: x,
        clientY: y,
        screenX: x,
        screenY: y,
        buttons: MAIN_BUTTON,
        view,
        dataTransfer,
      }),
    );
  if (!dispatch(carried, "dragstart", start)) return false;
  fire(carried, "pointercancel", start);
  let over: Element | undefined;
  let taken = false;
  for (let step = 1; step <= DRAG_STEPS; step++) {
    const at = between(start, to(), step);
    const under = hitAt(carried.ownerDocument, at.x, at.y) ?? over ?? carried;
    dispatch(carried, "drag", at);
    if (under !== over) {
      dispatch(under, "dragenter", at);
      if (over !== undefined) dispatch(over, "dragleave", at);
      over = under;
    }
    taken = !dispatch(under, "dragover", at);
    await frame(core);
  }
  const end = to();
  if (over !== undefined) dispatch(over, taken ? "drop" : "dragleave", end);
  dispatch(carried, "dragend", end);
  return true;
}
