// Input as a person makes it, where a browser that eye drives has the page: commands that the browser turns into
// trusted events.

import { DRAG_STEPS, PRESS_MS } from "../core/limits.js";
import type { Input, InputCommand } from "../core/part.js";
import { physical, type Stroke } from "./keys.js";
import type { Clicking, Modifiers, Place } from "./pointer.js";

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

function mouse(type: string, { x, y }: Place, more: object = {}): InputCommand {
  return { method: "Input.dispatchMouseEvent", params: { type, x, y, ...more } };
}

/** The pointer comes to a place. */
export function realMove(input: Input, place: Place): Promise<void> {
  return input([mouse("mouseMoved", place)]);
}

/** A click: all of it is sent together, for each command alone waits for a frame. */
export async function realClick(
  input: Input,
  place: Place,
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
 * Presses at a place, goes to another in steps, and lets go. `to` is asked at every step: what is dragged may move its
 * goal.
 */
export async function realDrag(
  input: Input,
  start: Place,
  to: () => Place,
  turn: (ms?: number) => Promise<void>,
): Promise<void> {
  const held = { button: "left", buttons: MAIN_BUTTONS };
  await input([mouse("mouseMoved", start), mouse("mousePressed", start, { ...held, clickCount: 1 })]);
  let at = start;
  const move = async (place: Place): Promise<void> => {
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
    // Some take a place for the goal only when the pointer has come to rest over it.
    await move(to());
    // That may have moved it.
    at = to();
  } finally {
    // Where it is: what was given up on the way is not dropped at its goal.
    await input([mouse("mouseReleased", at, { button: "left", buttons: 0, clickCount: 1 })]);
  }
}

/** Turns the wheel at a place, by so many pixels. */
export function realWheel(input: Input, place: Place, deltaX: number, deltaY: number): Promise<void> {
  return input([mouse("mouseWheel", place, { deltaX, deltaY })]);
}

/** Editing shortcuts, which the browser does only when it is told their names. */
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

/** Keys, one after the other; characters that no key makes are put in as an input method does. */
export async function realKeys(input: Input, strokes: readonly Stroke[], turn: () => Promise<void>): Promise<void> {
  for (const stroke of strokes) {
    const typed = physical(stroke.key).code === "" && [...stroke.key].length === 1;
    await input(typed ? [{ method: "Input.insertText", params: { text: stroke.key } }] : keyCommands(stroke));
    // The page gets its turn: what the next key does may depend on what was rendered for the last.
    await turn();
  }
}

/** Text at the caret, in place of what is selected. */
export function realText(input: Input, text: string): Promise<void> {
  return input([{ method: "Input.insertText", params: { text } }]);
}
