// The visible text of an element and the controls inside of it, and whether an element only draws a control.

import { type Kind, kindOf } from "./kind.js";
import { above, attribute, inside, isElement, plain, styleOf } from "./tree.js";
import { hides, isClippedAway, isSilenced } from "./visible.js";

/**
 * Whether the text is set in an icon font. Only the first font counts: many font lists end with a symbol font as a
 * fallback.
 */
export function isIconFont({ fontFamily }: CSSStyleDeclaration): boolean {
  return /^[^,]*(?:icon|symbol|awesome)/i.test(fontFamily);
}

/** Elements without text for people. */
export const SKIPPED =
  /^(?:script|style|template|noscript|head|meta|link|title|canvas|video|audio|object|datalist|math)$/;
/** Lists that open from a control and may be inside of it. */
const POPUP = "[role=listbox],[role=menu],[role=tree],[role=dialog],[popover]";
/** An element with more nodes is not the drawing of one control. */
const NODES_MAX = 300;
/** Levels upwards that are searched for the box around a control. */
const LEVELS_MAX = 5;
/** A box higher than two lines is not the box of one field. */
const FIELD_PX_MAX = 64;
const AROUND_CHARS_MAX = 60;
/** Containers of fields, which are never the box of a single one. */
const HOLDER = /^(?:body|html|form|fieldset|main|section|article|label|table|tr|td|ul|ol|li)$/;

/** The visible text of an element, without icons, opened lists, content hidden from agents, and `except`. */
export function shownText(element: Element, except: readonly (Element | null)[] = []): string {
  let text = "";
  let nodes = 0;
  const walk = (node: Node): void => {
    if (++nodes > NODES_MAX) return;
    if (!isElement(node)) {
      if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? "";
      return;
    }
    if (except.includes(node) || SKIPPED.test(node.localName) || isSilenced(node)) return;
    const style = styleOf(node);
    const { display } = style;
    if (hides(node, style, display) || style.visibility !== "visible" || isIconFont(style)) return;
    if (isClippedAway(node, style, display) || (node !== element && node.matches(POPUP))) return;
    const apart = !/^(?:inline|contents)$/.test(display);
    if (apart) text += " ";
    for (const child of inside(node)) walk(child);
    if (apart) text += " ";
  };
  walk(element);
  return plain(text);
}

/** The controls inside of an element, up to `max`. An area that contains other controls is not counted. */
export function controlsIn(element: Element, max = Number.POSITIVE_INFINITY): Element[] {
  const found: Element[] = [];
  let nodes = 0;
  const walk = (node: Node): void => {
    if (!isElement(node) || found.length >= max || ++nodes > NODES_MAX) return;
    if (SKIPPED.test(node.localName) || isSilenced(node) || hides(node, styleOf(node))) return;
    const kind = kindOf(node);
    const before = found.length;
    if (kind === undefined || kind === "area") for (const child of inside(node)) walk(child);
    if (kind !== undefined && found.length === before) found.push(node);
  };
  for (const child of inside(element)) walk(child);
  return found;
}

/** Widgets that are used only through their parts. */
const COMPOSITE = /^(?:listbox|menu|menubar|tablist|tree|radiogroup|toolbar|combobox)$/;
/** Controls that are often drawn by the elements around them. */
const DRAWN: ReadonlySet<Kind | undefined> = new Set<Kind>(["field", "select", "slider", "check", "choice", "file"]);

/** Whether a clickable element only draws the controls inside of it, which then represent it. */
export function isDrawing(element: Element): boolean {
  const role = attribute(element, "role");
  const controls = controlsIn(element);
  const [only] = controls;
  if (only === undefined) return false;
  const single = controls.length === 1 ? kindOf(only) : undefined;
  if (role === "combobox") return single === "field";
  if (COMPOSITE.test(role)) return true;
  // The host of a button in a shadow root takes the focus for it.
  const own = element.hasAttribute("onclick") || attribute(element, "tabindex") >= "0";
  if (own && element.shadowRoot === null) return false;
  // A clickable card with a checkbox may do more than the checkbox does; the box around a field does not.
  if (single === "field" || single === "select" || single === "slider" || opensList(only, controls)) return true;
  if (shownText(element, controls) === "") return true;
  return DRAWN.has(single) && shownText(element, [only, ...labelsOf(only)]) === "";
}

/** Whether the only control is one that opens a list. */
function opensList(only: Element, { length }: readonly Element[]): boolean {
  return length === 1 && (attribute(only, "role") === "combobox" || attribute(only, "aria-haspopup") === "listbox");
}

/** The control of a label: its own, or one that refers to the label. */
export function labelledBy(label: Element): Element | null {
  const { control } = label as HTMLLabelElement;
  if (control !== null || label.id === "") return control;
  const root = label.getRootNode() as Document | ShadowRoot;
  const named = root.querySelector(`[aria-labelledby~=${CSS.escape(label.id)}]:not(label)`);
  return named !== null && kindOf(named) !== undefined ? named : null;
}

/** The box that shows the choice of an empty field with a list, and contains nothing else. */
export function choiceBox(field: Element): Element | undefined {
  if (attribute(field, "role") !== "combobox" || (field as HTMLInputElement).value !== "") return undefined;
  const box = aloneIn(field, (at) => at.getBoundingClientRect().height <= FIELD_PX_MAX);
  const labels = labelsOf(field);
  if (box === undefined || shownText(box, [field, ...labels]) === "") return undefined;
  // Text above or below the field is about the field, not in it.
  const { top, bottom } = field.getBoundingClientRect();
  const isBeside = (one: Element): boolean => {
    const { y, height } = one.getBoundingClientRect();
    return y + height / 2 >= top && y + height / 2 <= bottom;
  };
  const read = [...box.querySelectorAll("*")].filter((one) => hasOwnText(one) && shownText(one) !== "");
  return read.every((one) => isBeside(one) || labels.some((label) => label.contains(one))) ? box : undefined;
}

function hasOwnText(element: Element): boolean {
  return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.nodeValue ?? ""));
}

/** The text of such a box: the choice, or the placeholder in brackets. */
export function choiceIn(field: Element): string {
  const box = choiceBox(field);
  if (box === undefined) return "";
  const text = shownText(box, [field, ...labelsOf(field)]);
  const waiting = box.querySelector("[class*=placeholder i]");
  return waiting !== null && shownText(waiting) === text ? `_ (${text})` : text;
}

/** The text beside a control without a name: that of the nearest box that contains no other control. */
export function textAround(element: Element): string {
  if (!DRAWN.has(kindOf(element))) return "";
  let text = "";
  aloneIn(element, (at) => {
    text ||= shownText(at, [element]);
    return text === "";
  });
  return text.length > AROUND_CHARS_MAX || !/\p{L}/u.test(text) ? "" : text;
}

/** The outermost box around a control that contains no other one and that `fits`. */
function aloneIn(element: Element, fits: (at: Element) => boolean): Element | undefined {
  let box: Element | undefined;
  let at = above(element);
  for (let level = 0; at !== null && level < LEVELS_MAX; level++, at = above(at)) {
    if (HOLDER.test(at.localName) || controlsIn(at, 2).some((one) => one !== element) || !fits(at)) break;
    box = at;
  }
  return box;
}

/** The labels of a control. Slow: the browser searches the whole document for them. */
export function labelsOf(field: Element): Element[] {
  const root = field.getRootNode() as Document | ShadowRoot;
  const ids = attribute(field, "aria-labelledby").split(" ").filter(Boolean);
  const labels = [...((field as HTMLInputElement).labels ?? [])];
  return [...labels, ...ids.flatMap((id) => root.getElementById?.(id) ?? [])];
}

/**
 * The lines that an editor such as Monaco draws beside the element that takes the keys; the page hides them from
 * agents.
 */
export function drawnText(element: Element): string {
  let at = above(element);
  for (let level = 0; at !== null && level < LEVELS_MAX; level++, at = above(at)) {
    const layers = [...at.querySelectorAll("[aria-hidden=true]")].filter((one) => one.textContent !== "");
    const [largest] = layers.sort((a, b) => sizeOf(b) - sizeOf(a));
    if (largest === undefined) continue;
    const top = (one: Element): number => one.getBoundingClientRect().top;
    const lines = [...largest.children].sort((a, b) => top(a) - top(b));
    return lines.map((line) => (line.textContent ?? "").replaceAll("\u00a0", " ")).join("\n");
  }
  return "";
}

function sizeOf(element: Element): number {
  const { width, height } = element.getBoundingClientRect();
  return width * height;
}

/** Whether a name contains a text, comparing letters and digits only. */
export function isPartOfName(text: string, name: string): boolean {
  const letters = (one: string): string => one.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return letters(name).includes(letters(text));
}
