// Puts text into fields in a way that frameworks notice.

import { hint } from "../core/hint.js";
import { misused } from "../page/verb.js";
import { editorInput } from "./editor.js";
import { viewOf } from "./pointer.js";

export type Field = HTMLInputElement | HTMLTextAreaElement;

export function isField(element: Element): element is Field {
  return element.localName === "input" || element.localName === "textarea";
}

/**
 * Sets a property with the prototype's setter. React defines its own setter on the element, which would hide the change
 * from React.
 */
export function setNative(element: Element, name: "value" | "checked", value: unknown): void {
  let proto: object | null = Object.getPrototypeOf(element) as object | null;
  while (proto !== null && !Object.hasOwn(proto, name)) proto = Object.getPrototypeOf(proto) as object | null;
  Object.getOwnPropertyDescriptor(proto ?? {}, name)?.set?.call(element, value);
}

export function changed(element: Element, ...types: string[]): void {
  for (const type of types)
    element.dispatchEvent(new (viewOf(element).Event)(type, { bubbles: true, composed: type === "input" }));
}

function input(element: Element, type: "beforeinput" | "input", inputType: string, data: string | null): boolean {
  return element.dispatchEvent(
    new (viewOf(element).InputEvent)(type, {
      bubbles: true,
      composed: true,
      cancelable: type === "beforeinput",
      inputType,
      data,
    }),
  );
}

/** Replaces the whole value. */
export function replaceText(element: Field, text: string): void {
  // Browsers turn any invalid colour into black.
  if (element.type === "color" && !/^#[\da-f]{6}$/i.test(text)) throw unfit(element, text);
  if (!input(element, "beforeinput", "insertReplacementText", text)) return;
  const before = element.value;
  setNative(element, "value", text);
  if (element.value === "" && text !== "") {
    setNative(element, "value", before);
    throw unfit(element, text);
  }
  input(element, "input", "insertReplacementText", text);
  changed(element, "change");
}

function format(type: string): string | undefined {
  const known = FORMATS[type];
  return known === undefined ? undefined : hint("format", known);
}

function unfit(element: Field, text: string): Error {
  return misused(`this ${element.type} field does not take ${JSON.stringify(text)}`, format(element.type));
}

/**
 * The slider's step beside a value, and the key that leads from there to the value. Throws if the slider cannot have
 * the value.
 */
export function stepBeside(element: Field, text: string): { readonly value: string; readonly key: string } {
  const probe = element.cloneNode() as HTMLInputElement;
  probe.value = text;
  if (Number(probe.value) !== Number(text) || text.trim() === "") {
    const { min, max, step } = probe;
    throw misused(
      `this slider does not take ${JSON.stringify(text)}`,
      hint("format", `${min || 0} to ${max || 100} in steps of ${step || 1}`),
    );
  }
  probe.stepDown();
  if (Number(probe.value) !== Number(text)) return { value: probe.value, key: "ArrowRight" };
  probe.stepUp();
  return { value: probe.value, key: "ArrowLeft" };
}

/** Sets the value of a slider. */
export function setRange(element: Field, text: string): void {
  setNative(element, "value", text);
  changed(element, "input", "change");
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "YYYY-MM-DD",
  time: "HH:MM",
  "datetime-local": "YYYY-MM-DDTHH:MM",
  month: "YYYY-MM",
  week: "YYYY-Www",
  number: "a number",
  color: "#rrggbb",
};

/** Inserts text at the caret, replacing the selection. */
export function insertText(element: Element, text: string): void {
  edit(element, "insertText", text, (value, start, end) => [
    value.slice(0, start) + text + value.slice(end),
    start + text.length,
  ]);
}

export function deleteText(element: Element, backward: boolean): void {
  edit(element, backward ? "deleteContentBackward" : "deleteContentForward", null, (value, start, end) => {
    const from = start === end && backward ? Math.max(0, start - 1) : start;
    const to = start === end && !backward ? end + 1 : end;
    return [value.slice(0, from) + value.slice(to), from];
  });
}

function edit(
  element: Element,
  inputType: string,
  data: string | null,
  change: (value: string, start: number, end: number) => [string, number],
): void {
  if (!isField(element)) {
    editorInput(element, data === "\n" ? "insertParagraph" : inputType, data === "\n" ? null : data);
    return;
  }
  if (element.readOnly || element.disabled || !input(element, "beforeinput", inputType, data)) return;
  // Number and email fields have no selection.
  const { value } = element;
  const [text, caret] = change(value, element.selectionStart ?? value.length, element.selectionEnd ?? value.length);
  if (element.maxLength >= 0 && text.length > element.maxLength && text.length > value.length) return;
  setNative(element, "value", text);
  if (element.selectionStart !== null) element.setSelectionRange(caret, caret);
  input(element, "input", inputType, data);
}
