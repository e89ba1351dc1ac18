// What a browser does when a person moves, presses and releases a mouse: every event a framework may listen to, in its order.

import { CANVAS_HOLD_MS } from "../core/limits.js";
import { isEditable } from "../look/kind.js";
import type { Spot } from "./ready.js";
import type { Hands } from "./turn.js";

export interface Place {
  readonly x: number;
  readonly y: number;
}

const MOUSE = 1;
const NO_BUTTONS = 0;
const MAIN_BUTTON = 1;

type View = Window & typeof globalThis;

export function viewOf(element: Element): View {
  return (element.ownerDocument.defaultView ?? window) as View;
}

/** Whether the default action may follow. */
export function fire(target: Element, type: string, { x, y }: Place, buttons = NO_BUTTONS, more: object = {}): boolean {
  const view = viewOf(target);
  const pointer = /^(?:pointer|click)/.test(type);
  const quiet = /(?:enter|leave)$/.test(type);
  const init = {
    view,
    bubbles: !quiet,
    cancelable: !quiet,
    composed: !quiet,
    clientX: x,
    clientY: y,
    screenX: x + view.screenX,
    screenY: y + view.screenY,
    button: /move|over|out|enter|leave/.test(type) && pointer ? -1 : 0,
    buttons,
    detail: /^(?:mousedown|mouseup|click)$/.test(type) ? 1 : 0,
    pointerId: MOUSE,
    pointerType: "mouse",
    isPrimary: true,
    pressure: buttons === NO_BUTTONS ? 0 : 0.5,
    ...more,
  };
  return target.dispatchEvent(pointer ? new view.PointerEvent(type, init) : new view.MouseEvent(type, init));
}

/** The pointer comes to a place. */
export function enter(hit: Element, place: Place): void {
  for (const kind of ["pointer", "mouse"]) {
    fire(hit, `${kind}over`, place);
    fire(hit, `${kind}enter`, place);
  }
  move(hit, place);
}

export function move(hit: Element, place: Place, buttons = NO_BUTTONS): void {
  fire(hit, "pointermove", place, buttons);
  fire(hit, "mousemove", place, buttons);
}

export function press(hit: Element, place: Place): void {
  const wanted = fire(hit, "pointerdown", place, MAIN_BUTTON);
  if (!wanted || !fire(hit, "mousedown", place, MAIN_BUTTON)) return;
  focusAt(hit);
  if (isEditable(hit)) caretAt(hit, place);
}

/** Puts the caret of an editor where it is pressed. */
function caretAt({ ownerDocument }: Element, { x, y }: Place): void {
  const caret = ownerDocument.caretRangeFromPoint?.(x, y);
  if (caret) ownerDocument.getSelection()?.collapse(caret.startContainer, caret.startOffset);
}

export function release(hit: Element, place: Place): void {
  fire(hit, "pointerup", place);
  fire(hit, "mouseup", place);
}

/** The page gets its turn before the release; what draws on a canvas takes a click without duration for a slip. */
export async function click({ hit, x, y }: Spot, { own, turn }: Hands): Promise<void> {
  const place = { x, y };
  own(() => {
    enter(hit, place);
    press(hit, place);
  });
  await turn(hit.localName === "canvas" ? CANVAS_HOLD_MS : 0);
  // What it was pressed on may be gone by now, as it would be for a person.
  if (!hit.isConnected) return;
  own(() => {
    release(hit, place);
    fire(hit, "click", place);
  });
}

const FOCUSABLE = "a[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable]";

/** A press moves the focus to what can have it, or takes it away. */
function focusAt(hit: Element): void {
  let at: Element | null = hit;
  while (at !== null && !(at.matches(FOCUSABLE) && !at.matches(":disabled"))) {
    const root: Node = at.getRootNode();
    at = at.parentElement ?? ("host" in root ? (root as ShadowRoot).host : null);
  }
  if (at !== null) focus(at);
  else (hit.ownerDocument.activeElement as HTMLElement | null)?.blur();
}

export function focus(element: Element): void {
  const root = element.getRootNode() as Document | ShadowRoot;
  const before = root.activeElement;
  if (before === element) return;
  (element as HTMLElement).focus({ preventScroll: true });
  if (element.ownerDocument.hasFocus()) return;
  // A window in the background moves the focus and tells nobody.
  const view = viewOf(element);
  const tell = (target: Element | null, ...types: string[]): void =>
    types.forEach((type) =>
      target?.dispatchEvent(new view.FocusEvent(type, { bubbles: type.length > 5, composed: true })),
    );
  tell(before, "blur", "focusout");
  if (root.activeElement === element) tell(element, "focus", "focusin");
}
