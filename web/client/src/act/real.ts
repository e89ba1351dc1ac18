// Real input, in a browser that eye drives: commands that the browser turns into trusted events.

import { DRAG_STEPS, PRESS_MS } from "../core/limits.js";
import type { Input, InputCommand } from "../core/part.js";
import { physical, type Stroke } from "./keys.js";
import type { Clicking, Modifiers, Point } from "./pointer.js";

const ALT = 1;
const CONTROL = 2;
const META = 4;
const SHIFT = 8;
const MAIN_BUTTONS = 1;
const RIGHT_BUTTONS = 2;

function modifierBits({ altKey, ctrlKey, metaKey, shiftKey }: Modifiers): number {
  return (
    (altKey === true ? ALT : 0) |
    (ctrlKey === true ? CONTROL : 0) |
    (metaKey === true ? META : 0) |
    (shiftKey === true ? SHIFT : 0)
  );
}

function mouse(type: string, { x, y }: Point, more: object = {}): InputCommand {
  return { method: "Input.dispatchMouseEvent", params: { type, x, y, ...more } };
}

/** Moves the pointer to a place. */
export function realMove(input: Input, place: Point): Promise<void> {
  return input([mouse("mouseMoved", place)]);
}

/** A click. All its commands are sent together, since each one alone waits for a frame. */
export async function realClick(
  input: Input,
  place: Point,
  { double = false, right = false, modifiers = {}, holdMs }: Clicking,
  turn: (ms: number) => Promise<void>,
): Promise<void> {
  const bits = modifierBits(modifiers);
  const button = right ? "right" : "left";
  const buttons = right ? RIGHT_BUTTONS : MAIN_BUTTONS;
  const pressed = (clickCount: number): InputCommand =>
    mouse("mousePressed", place, { button, buttons, clickCount, modifiers: bits });
  const released = (clickCount: number): InputCommand =>
    mouse("mouseReleased", place, { button, buttons: 0, clickCount, modifiers: bits });
  const moved = mouse("mouseMoved", place, { modifiers: bits });
  if (holdMs !== undefined) {
    await input([moved, pressed(1)]);
    await turn(holdMs);
    return input([released(1)]);
  }
  return input([moved, pressed(1), released(1), ...(double ? [pressed(2), released(2)] : [])]);
}

/**
 * Presses at a place, moves to another in steps, and releases. `to` is evaluated at every step, since the dragged
 * element may move its goal.
 */
export async function realDrag(
  input: Input,
  start: Point,
  to: () => Point,
  turn: (ms?: number) => Promise<void>,
): Promise<void> {
  const held = { button: "left", buttons: MAIN_BUTTONS };
  await input([mouse("mouseMoved", start), mouse("mousePressed", start, { ...held, clickCount: 1 })]);
  let at = start;
  const move = async (place: Point): Promise<void> => {
    await input([mouse("mouseMoved", place, held)]);
    at = place;
  };
  try {
    await turn(PRESS_MS);
    for (let step = 1; step <= DRAG_STEPS; step++) {
      const { x, y } = to();
      const part = step / DRAG_STEPS;
      await move({ x: start.x + (x - start.x) * part, y: start.y + (y - start.y) * part });
    }
    // Some pages recognize a goal only when the pointer has come to rest over it.
    await move(to());
    // That move may have moved the goal.
    at = to();
  } finally {
    // At the current place: an aborted drag must not drop on its goal.
    await input([mouse("mouseReleased", at, { button: "left", buttons: 0, clickCount: 1 })]);
  }
}

/** Turns the wheel at a place, by this many pixels. */
export function realWheel(input: Input, place: Point, deltaX: number, deltaY: number): Promise<void> {
  return input([mouse("mouseWheel", place, { deltaX, deltaY })]);
}

/** Editing shortcuts, which the browser executes only if their command is named. */
const EDITING: Readonly<Record<string, string>> = {
  a: "selectAll",
  c: "copy",
  v: "paste",
  x: "cut",
  z: "undo",
  y: "redo",
};

function keyCommands(stroke: Stroke): InputCommand[] {
  const { key, ctrlKey, metaKey, altKey } = stroke;
  const { code, keyCode } = physical(key);
  const chord = ctrlKey || metaKey || altKey;
  const printable = [...key].length === 1 && !chord;
  const text = printable ? key : key === "Enter" && !chord ? "\r" : undefined;
  const editing = ctrlKey || metaKey ? EDITING[key.toLowerCase()] : undefined;
  const common = { key, code, windowsVirtualKeyCode: keyCode, modifiers: modifierBits(stroke) };
  return [
    {
      method: "Input.dispatchKeyEvent",
      params: {
        ...common,
        type: text === undefined ? "rawKeyDown" : "keyDown",
        ...(text === undefined ? {} : { text, unmodifiedText: text }),
        ...(editing === undefined ? {} : { commands: [editing] }),
      },
    },
    { method: "Input.dispatchKeyEvent", params: { ...common, type: "keyUp" } },
  ];
}

/** Presses keys in order; characters without a key are inserted as an input method does. */
export async function realKeys(input: Input, strokes: readonly Stroke[], turn: () => Promise<void>): Promise<void> {
  for (const stroke of strokes) {
    const typed = physical(stroke.key).code === "" && [...stroke.key].length === 1;
    await input(typed ? [{ method: "Input.insertText", params: { text: stroke.key } }] : keyCommands(stroke));
    // The page gets a task: the next key may depend on what was rendered for the last.
    await turn();
  }
}

/** Inserts text at the caret, replacing the selection. */
export function realText(input: Input, text: string): Promise<void> {
  return input([{ method: "Input.insertText", params: { text } }]);
}
