// Structure that an element itself declares: headings, rows, and titles of groups.

import { clip } from "../core/clip.js";
import { OUTLINE_NAME_CHARS_MAX } from "../core/limits.js";
import { nameOf } from "./name.js";
import { attribute, frameBody, plain, tagOf } from "./tree.js";

export function headingLevel(element: Element, { name, role } = tagOf(element)): number {
  const native = /^h([1-6])$/.exec(name)?.[1];
  return Number(native ?? (role === "heading" ? attribute(element, "aria-level") || 2 : 0));
}

export function isRow(element: Element, { name, role } = tagOf(element)): boolean {
  if (name === "tr" || role === "row") return true;
  return (
    (name === "li" || name === "article" || role === "listitem") &&
    element.querySelector("ul,ol,table,form,pre,[role=list]") === null
  );
}

export function isNamed(element: Element): boolean {
  return element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");
}

/** The title above the lines of a group. */
export function titleOf(element: Element, tag = tagOf(element)): string {
  const name = (): string => (isNamed(element) ? clip(nameOf(element), OUTLINE_NAME_CHARS_MAX) : "");
  switch (tag.role || tag.name) {
    case "dialog":
    case "alertdialog":
      return plain(`dialog ${name()}`);
    case "alert":
      return "alert";
    case "nav":
    case "navigation":
      return plain(`nav ${name()}`);
    case "iframe":
      return frameTitle(element as HTMLIFrameElement);
    case "fieldset": {
      const legend = [...element.children].find((child) => child.localName === "legend");
      return name() || clip(plain(legend?.textContent ?? ""), OUTLINE_NAME_CHARS_MAX);
    }
    case "group":
    case "radiogroup":
    case "tabpanel":
    case "menu":
    case "listbox":
    case "toolbar":
    case "tree":
      return name();
    default:
      return "";
  }
}

/** The numbers of frames of other origins, or the reason why one has none. Set by the browser's driver. */
export const frameNumbers = new WeakMap<Element, string>();

export function frameTitle(frame: HTMLIFrameElement): string {
  const name = frame.title || frame.name || frame.id || frame.src;
  if (frameBody(frame) !== undefined) return `frame ${name}`;
  const number = frameNumbers.get(frame);
  const how = number === undefined ? "" : /^f\d/.test(number) ? `: --frame ${number}` : `, ${number}`;
  // The hub inserts the lines of a numbered frame below this line (`eye-core/src/framed.rs`).
  return `frame ${name} (of another origin${how})`;
}

const SORTED: Readonly<Record<string, string>> = { ascending: "sorted up", descending: "sorted down" };

/** The visible state of an element that is not a control: selected, current or sorted. */
export function stateOf(element: Element): string {
  const states = [SORTED[attribute(element, "aria-sort")] ?? ""];
  if (attribute(element, "aria-selected") === "true") states.push("selected");
  if (!/^(?:false)?$/.test(attribute(element, "aria-current"))) states.push("current");
  const shown = states.filter(Boolean).join(", ");
  return shown === "" ? "" : `(${shown})`;
}

/** The text of a picture, a progress bar or a meter; `undefined` for any other element. */
export function pictureOf(element: Element, { name, role } = tagOf(element)): string | undefined {
  switch (role || name) {
    case "img":
    case "image": {
      const label = plain(attribute(element, "aria-label") || attribute(element, "alt")) || svgTitle(element);
      return label === "" ? "" : `image: ${clip(label, OUTLINE_NAME_CHARS_MAX)}`;
    }
    case "progress":
    case "progressbar":
    case "meter":
      return measured(element);
    default:
      return undefined;
  }
}

function svgTitle(element: Element): string {
  return element.localName === "svg" ? plain(element.querySelector(":scope > title")?.textContent ?? "") : "";
}

function measured(element: Element): string {
  const { value, max, min = 0 } = element as Partial<HTMLMeterElement>;
  const known = typeof value === "number";
  const valueText = attribute(element, "aria-valuetext");
  const now = known ? value : Number.parseFloat(attribute(element, "aria-valuenow"));
  const least = known ? min : Number(attribute(element, "aria-valuemin") || 0);
  const most = known ? (max ?? 1) : Number(attribute(element, "aria-valuemax") || 100);
  const unknown = Number.isNaN(now) || (element.localName === "progress" && !element.hasAttribute("value"));
  const share = most > least ? Math.round(((now - least) / (most - least)) * 100) : 0;
  const label = plain(nameOf(element).replace(/^\?.*/, "")) || attribute(element, "role") || element.localName;
  return `${clip(label, OUTLINE_NAME_CHARS_MAX)}: ${valueText || (unknown ? "under way" : `${share} %`)}`;
}
