// Areas: elements that react to a pointer or take the focus, but are no known control.

import { clip as shorten } from "../core/clip.js";
import { OUTLINE_NAME_CHARS_MAX } from "../core/limits.js";
import { nameOf } from "./name.js";
import { isNamed } from "./titles.js";
import { attribute, plain } from "./tree.js";

/** Controls inside of an element that reacts to a click as a whole. */
export const HELD = "a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox],[contenteditable]";

/** Blocks that are shown one by one below an area, so that its name does not cover them. */
const BLOCKS = "table,tr,ul,ol,dl,p,pre,h1,h2,h3,h4,h5,h6,[role=row],[role=list],[role=heading],img[alt]";

/** The name of an area whose content is written below it. */
export function calledAs(element: Element): string {
  if (isNamed(element)) return shorten(nameOf(element), OUTLINE_NAME_CHARS_MAX);
  return element.localName === "tr" || attribute(element, "role") === "row" ? "row" : "box";
}

/** Whether an area holds more than its name says. */
export function isStructured(area: Element): boolean {
  if (area.querySelector(HELD) !== null || area.querySelector(BLOCKS) !== null) return true;
  const text = plain(area.textContent ?? "");
  return (
    area.localName === "pre" ||
    text.length > OUTLINE_NAME_CHARS_MAX ||
    (isNamed(area) && text !== "" && text !== nameOf(area))
  );
}
