// Synthetic mouse input: every event that a framework may listen to, in the browser's order.

import { PRESS_MS } from "../core/limits.js";
import { hitAt } from "../look/hit.js";
import { above } from "../look/tree.js";
import type { Spot } from "./ready.js";
import { caretAt, selectWordAt } from "./selection.js";
import type { Hands } from "./turn.js";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Modifiers {
  readonly shiftKey?: boolean;
  readonly ctrlKey?: boolean;
  readonly altKey?: boolean;
  readonly metaKey?: boolean;
}

/** How to click, if not once and briefly with the main button. */
export interface Clicking {
  readonly double?: boolean;
  readonly right?: boolean;
  readonly modifiers?: Modifiers;
  /** How long the button is pressed, in ms. */
  readonly holdMs?: number;
}

const MOUSE = 1;
const NO_BUTTONS = 0;
const MAIN_BUTTON = 1;
const RIGHT_BUTTON = 2;

type View = Window & typeof globalThis;

export function viewOf(element: Element): View {
  return (element.ownerDocument.defaultView ?? window) as View;
}

/** Dispatches an event; returns whether the default action may follow. */
export function fire(target: Element, type: string, { x, y }: Point, buttons = NO_BUTTONS, more: object = {}): boolean {
  const view = viewOf(target);
  const pointer = /^(?:pointer|click|auxclick|contextmenu)/.test(type);
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

/** The last element under the pointer, in each document. */
const hovered = new WeakMap<Document, Element>();

/** An element and its ancestors, innermost first. */
function chainOf(element: Element | undefined): Element[] {
  const chain: Element[] = [];
  for (let at: Element | null = element ?? null; at !== null; at = above(at)) chain.push(at);
  return chain;
}

/** Moves the pointer to an element: it leaves the elements that it was over, and enters those around the new one. */
export function cross(hit: Element, place: Point, buttons = NO_BUTTONS): void {
  const known = hovered.get(hit.ownerDocument);
  const before = known?.isConnected === true ? known : undefined;
  if (before === hit) return;
  hovered.set(hit.ownerDocument, hit);
  const was = chainOf(before);
  const is = chainOf(hit);
  const left = was.filter((one) => !is.includes(one));
  const entered = is.filter((one) => !was.includes(one)).reverse();
  for (const kind of ["pointer", "mouse"]) {
    if (before !== undefined) fire(before, `${kind}out`, place, buttons, { relatedTarget: hit });
    for (const one of left) fire(one, `${kind}leave`, place, buttons, { relatedTarget: hit });
    fire(hit, `${kind}over`, place, buttons, { relatedTarget: before ?? null });
    for (const one of entered) fire(one, `${kind}enter`, place, buttons, { relatedTarget: before ?? null });
  }
}

/** Moves the pointer to a place. */
export function enter(hit: Element, place: Point): void {
  cross(hit, place);
  move(hit, place);
}

export function move(hit: Element, place: Point, buttons = NO_BUTTONS): void {
  fire(hit, "pointermove", place, buttons);
  fire(hit, "mousemove", place, buttons);
}

/** Returns whether mouse events follow: a page that prevents `pointerdown` gets none. */
export function press(hit: Element, place: Point, more: object = {}, buttons = MAIN_BUTTON): boolean {
  if (!fire(hit, "pointerdown", place, buttons, more)) return false;
  if (fire(hit, "mousedown", place, buttons, { detail: 1, ...more })) {
    focusAt(hit);
    if (buttons === MAIN_BUTTON) caretAt(hit, place, (more as Modifiers).shiftKey === true);
  }
  return true;
}

export function release(hit: Element, place: Point, more: object = {}, mouse = true): void {
  fire(hit, "pointerup", place, NO_BUTTONS, more);
  if (mouse) fire(hit, "mouseup", place, NO_BUTTONS, { detail: 1, ...more });
}

/**
 * Clicks, with a pause before the release in which the page can run. Returns whether there was a click: an element that
 * disappears while it is pressed gets none.
 */
export async function click(
  { hit, x, y }: Spot,
  { own, turn }: Hands,
  { double = false, right = false, modifiers = {}, holdMs = PRESS_MS }: Clicking = {},
): Promise<boolean> {
  const place = { x, y };
  const more = { ...modifiers, ...(right ? { button: RIGHT_BUTTON } : {}) };
  own(() => enter(hit, place));
  for (let count = 1; count <= (double ? 2 : 1); count++) {
    const counted = { ...more, detail: count };
    const alike = new Set<Element>(hit.ownerDocument.getElementsByTagName(hit.localName));
    let clicked = false;
    const mouse = own(() => {
      const pressed = press(hit, place, counted, right ? RIGHT_BUTTON : MAIN_BUTTON);
      if (right) fire(hit, "contextmenu", place, RIGHT_BUTTON, more);
      return pressed;
    });
    const stayed = hit.isConnected;
    await turn(holdMs);
    own(() => {
      // The pressed element may have moved or disappeared; a person then releases over what is there instead.
      const under = hit.isConnected ? hit : (hitAt(document, x, y) ?? document.body);
      release(under, place, counted, mouse);
      if (under !== hit && !(stayed && isRedrawn(hit, under, alike))) return;
      clicked = true;
      fire(under, right ? "auxclick" : "click", place, NO_BUTTONS, counted);
      if (count === 2) {
        selectWordAt(hit, place);
        fire(hit, "dblclick", place, NO_BUTTONS, counted);
      }
    });
    if (!clicked) return false;
    if (!hit.isConnected) break;
  }
  return true;
}

/**
 * Whether the page redrew the pressed element meanwhile, as a page does that redraws by a timer. If the press removed
 * the element, there is one less of its kind, or a neighbour or another row has moved into its place: these are not
 * clicked.
 */
function isRedrawn(pressed: Element, under: Element, alike: ReadonlySet<Element>): boolean {
  return (
    !alike.has(under) &&
    under.localName === pressed.localName &&
    under.textContent === pressed.textContent &&
    under.ownerDocument.getElementsByTagName(under.localName).length === alike.size &&
    isSameRow(pressed, under)
  );
}

/** Whether the ancestors that were redrawn with the two elements have the same text: the next row of a list differs. */
function isSameRow(pressed: Element, under: Element): boolean {
  let at = pressed.parentElement;
  let beside = under.parentElement;
  while (at !== null && beside !== null && at !== beside) {
    const more = at.textContent !== pressed.textContent || beside.textContent !== under.textContent;
    if (more) return at.textContent === beside.textContent;
    at = at.parentElement;
    beside = beside.parentElement;
  }
  return true;
}

const FOCUSABLE = "a[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable]";

/** A press focuses the nearest focusable ancestor, or removes the focus. */
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
  // A window in the background moves the focus without events.
  const view = viewOf(element);
  const dispatch = (target: Element | null, ...types: string[]): void =>
    types.forEach((type) =>
      target?.dispatchEvent(new view.FocusEvent(type, { bubbles: type.length > 5, composed: true })),
    );
  dispatch(before, "blur", "focusout");
  if (root.activeElement === element) dispatch(element, "focus", "focusin");
}
