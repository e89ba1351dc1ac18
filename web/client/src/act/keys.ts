// Synthetic key presses: the events, and the browser's default actions unless the page prevents them.

import { hint } from "../core/hint.js";
import { misused } from "../page/verb.js";
import { isEditor, moveCaret } from "./editor.js";
import { focus, viewOf } from "./pointer.js";
import { changed, deleteText, insertText, isField, setNative, type Field } from "./text.js";

export interface Stroke {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

const MODIFIERS: Readonly<Record<string, keyof Stroke>> = {
  shift: "shiftKey",
  control: "ctrlKey",
  ctrl: "ctrlKey",
  alt: "altKey",
  option: "altKey",
  meta: "metaKey",
  cmd: "metaKey",
  command: "metaKey",
};
const NAMES: Readonly<Record<string, string>> = {
  esc: "Escape",
  return: "Enter",
  space: " ",
  spacebar: " ",
  del: "Delete",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
};
const NAMED =
  /^(?:Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|Page(?:Up|Down)|Arrow(?:Up|Down|Left|Right)|F\d{1,2}|CapsLock|ContextMenu|Shift|Control|Alt|Meta)$/i;
const CODES: Readonly<Record<string, number>> = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  Backspace: 8,
  Delete: 46,
  " ": 32,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Home: 36,
  End: 35,
  PageUp: 33,
  PageDown: 34,
};
const LINE_PX = 40;
const PAGE_PART = 0.9;

/** Parses `Control+a`, `Enter`, or several keys separated by spaces. */
export function strokes(keys: string): Stroke[] {
  if (keys === " ") return strokes("Space");
  return keys
    .trim()
    .split(/\s+/)
    .map((one) => {
      const parts = one === "+" ? ["+"] : one.endsWith("++") ? [...one.slice(0, -2).split("+"), "+"] : one.split("+");
      const last = parts.pop() ?? "";
      const stroke = { key: keyOf(last), shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
      for (const part of parts) {
        const modifier = MODIFIERS[part.toLowerCase()];
        if (modifier === undefined || modifier === "key") throw misused(`no key ${part} in ${one}`, hint("modifiers"));
        stroke[modifier] = true;
      }
      return stroke;
    });
}

function keyOf(name: string): string {
  const known = NAMES[name.toLowerCase()] ?? name;
  if ([...known].length === 1) return known;
  if (!NAMED.test(known)) throw misused(`no key ${name}`, hint("keys"));
  return known
    .replace(/^(\w)/, (first) => first.toUpperCase())
    .replace(/^Arrow(\w)/i, (_, way: string) => `Arrow${way.toUpperCase()}`)
    .replace(/^Page(\w)/i, (_, way: string) => `Page${way.toUpperCase()}`);
}

/** The focused element, inside of shadow roots and frames. */
export function focused(): Element {
  let at: Element | null = document.activeElement;
  for (;;) {
    const inner: Element | null | undefined = at?.shadowRoot?.activeElement ?? frameFocus(at);
    if (inner === null || inner === undefined) return at ?? document.body;
    at = inner;
  }
}

function frameFocus(element: Element | null): Element | null {
  if (element?.localName !== "iframe") return null;
  try {
    return (element as HTMLIFrameElement).contentDocument?.activeElement ?? null;
  } catch {
    return null;
  }
}

/** Presses a key. The returned function releases it: pages that listen to both events expect them in separate tasks. */
export function strike(stroke: Stroke): () => void {
  const target = focused();
  const { key } = stroke;
  const printable = [...key].length === 1 && !stroke.ctrlKey && !stroke.metaKey && !stroke.altKey;
  let go = dispatch(target, "keydown", stroke);
  if (go && (printable || key === "Enter")) go = dispatch(target, "keypress", stroke);
  if (go && target.isConnected) follow(target, stroke, printable);
  return () => {
    const after = target.isConnected ? focused() : document.body;
    // Space activates the focused element on keyup.
    if (dispatch(after, "keyup", stroke) && go && key === " " && after === target && isPressed(target))
      (target as HTMLElement).click();
  };
}

function dispatch(target: Element, type: string, stroke: Stroke): boolean {
  const { key } = stroke;
  const { code, keyCode: number } = physical(key);
  // A keypress carries the character's code, not the key's.
  const charCode = type === "keypress" ? (key === "Enter" ? 13 : key.charCodeAt(0)) : 0;
  const keyCode = charCode || number;
  return target.dispatchEvent(
    new (viewOf(target).KeyboardEvent)(type, {
      ...stroke,
      code,
      keyCode,
      which: keyCode,
      charCode,
      bubbles: true,
      cancelable: true,
      composed: true,
    } as KeyboardEventInit),
  );
}

/**
 * Marks of a US keyboard, without and with Shift. The character's own code would be that of another key: `(` is 40,
 * ArrowDown.
 */
const MARKS: Readonly<Record<string, readonly [code: string, keyCode: number]>> = {
  "-_": ["Minus", 189],
  "=+": ["Equal", 187],
  "[{": ["BracketLeft", 219],
  "]}": ["BracketRight", 221],
  "\\|": ["Backslash", 220],
  ";:": ["Semicolon", 186],
  "'\"": ["Quote", 222],
  ",<": ["Comma", 188],
  ".>": ["Period", 190],
  "/?": ["Slash", 191],
  "`~": ["Backquote", 192],
};
const SHIFTED_DIGITS = ")!@#$%^&*(";

/** The physical key that produces a character: its `code` and `keyCode`. */
export function physical(key: string): { readonly code: string; readonly keyCode: number } {
  const named = CODES[key];
  if (named !== undefined) return { code: key === " " ? "Space" : key, keyCode: named };
  const digit = /^\d$/.test(key) ? Number(key) : SHIFTED_DIGITS.indexOf(key);
  if (digit >= 0 && key.length === 1) return { code: `Digit${digit}`, keyCode: 48 + digit };
  if (/^[a-z]$/i.test(key)) return { code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0) };
  const mark = Object.entries(MARKS).find(([both]) => key.length === 1 && both.includes(key))?.[1];
  if (mark !== undefined) return { code: mark[0], keyCode: mark[1] };
  const row = /^F(\d{1,2})$/.exec(key)?.[1];
  return { code: key.length === 1 ? "" : key, keyCode: row === undefined ? 0 : 111 + Number(row) };
}

function isPressed(target: Element): boolean {
  return target.matches(
    "button,summary,input[type=checkbox],input[type=radio],input[type=button],input[type=submit],input[type=reset]",
  );
}

function isText(target: Element): boolean {
  if (isField(target)) return !/^(?:checkbox|radio|button|submit|reset|file|range|color|image)$/.test(target.type);
  return isEditor(target);
}

/** The browser's default action for a key. */
function follow(target: Element, stroke: Stroke, printable: boolean): void {
  const { key, shiftKey } = stroke;
  const text = isText(target);
  if ((stroke.ctrlKey || stroke.metaKey) && key.toLowerCase() === "a") selectAll(target, text);
  else if (key === "Tab") tab(target, shiftKey);
  else if (key === "Enter") enter(target, text);
  else if (key === "Escape") escape(target);
  else if (text && (key === "Backspace" || key === "Delete")) deleteText(target, key === "Backspace");
  else if (text && printable) insertText(target, key);
  else if (/^(?:Arrow|Home$|End$|Page)/.test(key) || (key === " " && !isPressed(target))) travel(target, stroke, text);
}

function selectAll(target: Element, text: boolean): void {
  if (text && isField(target)) target.select();
  else target.ownerDocument.getSelection()?.selectAllChildren(text ? target : target.ownerDocument.body);
}

function enter(target: Element, text: boolean): void {
  if (target.localName === "textarea" || (text && !isField(target))) insertText(target, "\n");
  else if (isField(target) && target.type !== "button" && target.type !== "submit") {
    const { form } = target;
    if (form === null) return;
    changed(target, "change");
    const button = [...form.elements].find((one): one is HTMLButtonElement =>
      one.matches("button:not([type]),[type=submit],[type=image]"),
    );
    if (button !== undefined && !button.disabled) button.click();
    else if (button === undefined) form.requestSubmit();
  } else if (target.matches("a[href],button,summary,input")) (target as HTMLElement).click();
}

function escape(target: Element): void {
  const dialog =
    target.closest<HTMLDialogElement>("dialog:modal") ??
    [...target.ownerDocument.querySelectorAll<HTMLDialogElement>("dialog:modal")].at(-1);
  if (dialog?.dispatchEvent(new (viewOf(dialog).Event)("cancel", { cancelable: true }))) dialog.close();
  for (const open of target.ownerDocument.querySelectorAll<HTMLElement>(
    "[popover=auto]:popover-open,[popover='']:popover-open",
  ))
    open.hidePopover();
}

const TABBABLE = "a[href],button,input:not([type=hidden]),select,textarea,summary,iframe,[tabindex],[contenteditable]";

function tab(target: Element, back: boolean): void {
  const all = [...target.ownerDocument.querySelectorAll<HTMLElement>(TABBABLE)].filter(
    (one) =>
      one.tabIndex >= 0 &&
      !one.matches(":disabled") &&
      one.checkVisibility({ visibilityProperty: true }) &&
      one.closest("[inert]") === null,
  );
  const order = [
    ...all.filter((one) => one.tabIndex > 0).sort((a, b) => a.tabIndex - b.tabIndex),
    ...all.filter((one) => one.tabIndex === 0),
  ];
  const at = order.indexOf(target as HTMLElement);
  const next = order.at(at < 0 ? (back ? -1 : 0) : (at + (back ? -1 : 1)) % order.length);
  if (next === undefined) return;
  focus(next);
  if (isField(next) && isText(next)) next.select();
}

/** Arrow keys choose, step, move the caret or scroll, depending on the target. */
function travel(target: Element, stroke: Stroke, text: boolean): void {
  const { key, shiftKey } = stroke;
  const step = key === "ArrowUp" || key === "ArrowLeft" ? -1 : 1;
  if (target.localName === "select") {
    const select = target as HTMLSelectElement;
    const next = Math.min(select.length - 1, Math.max(0, select.selectedIndex + step));
    if (next === select.selectedIndex) return;
    select.selectedIndex = next;
    changed(select, "input", "change");
  } else if (target.matches("input[type=radio]")) {
    const { name, form } = target as HTMLInputElement;
    const group = [...(form ?? target.ownerDocument).querySelectorAll<HTMLInputElement>("input[type=radio]")].filter(
      (one) => one.name === name && !one.disabled,
    );
    const next = group.at((group.indexOf(target as HTMLInputElement) + step) % group.length);
    if (next === undefined) return;
    focus(next);
    next.click();
  } else if (target.matches("input[type=range],input[type=number]")) {
    const field = target as HTMLInputElement;
    const before = field.value;
    const up = key === "ArrowUp" || key === "ArrowRight";
    const probe = field.cloneNode() as HTMLInputElement;
    probe.value = before;
    if (up) probe.stepUp();
    else probe.stepDown();
    if (probe.value === before) return;
    setNative(field, "value", probe.value);
    changed(field, "input", "change");
  } else if (text) {
    if (isField(target)) moveInField(target, key, shiftKey);
    else moveCaret(target, key, shiftKey, stroke.ctrlKey || stroke.metaKey || stroke.altKey);
  } else scrollBy(target, key);
}

/** With Shift, the moving end is the caret, which the selection's direction tells. */
function moveInField(field: Field, key: string, extend: boolean): void {
  const { selectionStart: start, selectionEnd: end, selectionDirection, value } = field;
  if (start === null || end === null || !/^(?:Home|End|Arrow(?:Left|Right))$/.test(key)) return;
  const back = key === "ArrowLeft" || key === "Home";
  const [held, caret] = selectionDirection === "backward" ? [end, start] : [start, end];
  const moved =
    key === "Home" ? 0 : key === "End" ? value.length : Math.min(value.length, Math.max(0, caret + (back ? -1 : 1)));
  if (extend)
    field.setSelectionRange(Math.min(held, moved), Math.max(held, moved), moved < held ? "backward" : "forward");
  else {
    // Without Shift, an arrow collapses the selection to the end that it points to.
    const place = start !== end && /^Arrow/.test(key) ? (back ? start : end) : moved;
    field.setSelectionRange(place, place);
  }
}

function scrollBy(target: Element, key: string): void {
  const view = viewOf(target);
  const page = view.innerHeight * PAGE_PART;
  const far = target.ownerDocument.documentElement.scrollHeight;
  const ways: Readonly<Record<string, [number, number]>> = {
    ArrowUp: [0, -LINE_PX],
    ArrowDown: [0, LINE_PX],
    ArrowLeft: [-LINE_PX, 0],
    ArrowRight: [LINE_PX, 0],
    PageUp: [0, -page],
    PageDown: [0, page],
    " ": [0, page],
    Home: [0, -far],
    End: [0, far],
  };
  const [left, top] = ways[key] ?? [0, 0];
  view.scrollBy({ left, top, behavior: "instant" });
}
