// Drags by pointer, and by the drag and drop of HTML where something is draggable.

import { DRAG_STEPS } from "../limits.js";
import type { Core } from "../part.js";
import { enter, fire, move, press, release, viewOf, type Place } from "./pointer.js";
import { frame, hitAt, type Spot } from "./ready.js";

const MOUSE = 1;
const MAIN_BUTTON = 1;

export async function drag(core: Core, from: Spot, to: () => Place): Promise<void> {
  const start = { x: from.x, y: from.y };
  enter(from.hit, start);
  press(from.hit, start);
  const carried = from.hit.closest<HTMLElement>("[draggable=true],a[href],img");
  const native = carried !== null && (carried.draggable || carried.getAttribute("draggable") === "true");
  if (native && (await dropped(core, carried, start, to))) return;
  let hit = from.hit;
  for (let step = 1; step <= DRAG_STEPS; step++) {
    const end = to();
    const at = { x: start.x + ((end.x - start.x) * step) / DRAG_STEPS, y: start.y + ((end.y - start.y) * step) / DRAG_STEPS };
    const under = capturing(from.hit) ?? hitAt(from.hit.ownerDocument, at.x, at.y) ?? hit;
    if (under !== hit && capturing(from.hit) === undefined) passed(hit, under, at);
    hit = under;
    move(hit, at, MAIN_BUTTON);
    await frame(core);
  }
  const end = to();
  const captured = capturing(from.hit);
  release(captured ?? hit, end);
  captured?.releasePointerCapture(MOUSE);
}

/** An element that wants every event of the pointer gets them, wherever the pointer is. */
function capturing(from: Element): Element | undefined {
  for (let at: Element | null = from; at !== null; at = at.parentElement) if (at.hasPointerCapture(MOUSE)) return at;
  return undefined;
}

function passed(left: Element, entered: Element, at: Place): void {
  for (const kind of ["pointer", "mouse"]) {
    fire(left, `${kind}out`, at, MAIN_BUTTON);
    fire(left, `${kind}leave`, at, MAIN_BUTTON);
    fire(entered, `${kind}over`, at, MAIN_BUTTON);
    fire(entered, `${kind}enter`, at, MAIN_BUTTON);
  }
}

/** Whether the browser's own drag and drop took it; a page may prevent its start and drag by pointer. */
async function dropped(core: Core, carried: HTMLElement, start: Place, to: () => Place): Promise<boolean> {
  const view = viewOf(carried);
  const dataTransfer = new view.DataTransfer();
  const tell = (target: Element, type: string, { x, y }: Place): boolean =>
    target.dispatchEvent(new view.DragEvent(type, { bubbles: true, cancelable: true, composed: true, clientX: x, clientY: y, screenX: x, screenY: y, buttons: MAIN_BUTTON, view, dataTransfer }));
  if (!tell(carried, "dragstart", start)) return false;
  fire(carried, "pointercancel", start);
  let over: Element | undefined;
  let taken = false;
  for (let step = 1; step <= DRAG_STEPS; step++) {
    const end = to();
    const at = { x: start.x + ((end.x - start.x) * step) / DRAG_STEPS, y: start.y + ((end.y - start.y) * step) / DRAG_STEPS };
    const under = hitAt(carried.ownerDocument, at.x, at.y) ?? over ?? carried;
    tell(carried, "drag", at);
    if (under !== over) {
      tell(under, "dragenter", at);
      if (over !== undefined) tell(over, "dragleave", at);
      over = under;
    }
    taken = !tell(under, "dragover", at);
    await frame(core);
  }
  const end = to();
  if (over !== undefined) tell(over, taken ? "drop" : "dragleave", end);
  tell(carried, "dragend", end);
  return true;
}
