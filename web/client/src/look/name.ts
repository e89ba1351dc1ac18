// What a person calls an element: its accessible name by the standard, and for those without one whatever tells them
// apart.

import { computeAccessibleName } from "dom-accessibility-api";
import { isIconFont, textAround } from "./reading.js";
import { attribute, plain, styleOf } from "./tree.js";

/** Attributes that take the name's place or add to it. */
const NAMING = ["aria-labelledby", "aria-owns", "title", "alt", "placeholder"];
/** What stands in an empty field; editors draw it by CSS. */
const PLACEHOLDERS = ["placeholder", "aria-placeholder", "data-placeholder"];
const BY_CONTENT = /^(?:a|button|summary|h[1-6]|option|legend)$/;
/** What says something else inside of a name than its text. */
const TELLING =
  "[aria-label],[aria-labelledby],[aria-hidden],[title],[alt],img,svg,input,select,textarea,slot,iframe,object,[role]";

export function nameOf(element: Element): string {
  // A branch of a tree is not called by its leaves.
  if (
    attribute(element, "role") === "treeitem" &&
    !element.hasAttribute("aria-label") &&
    element.querySelector("[role=group]") !== null
  ) {
    const own = [...element.childNodes].filter((node) => (node as Element).getAttribute?.("role") !== "group");
    return plain(own.map((node) => node.textContent ?? "").join(" "));
  }
  const name = plain(quick(element) ?? computed(element));
  const title = plain(attribute(element, "title"));
  // A glyph of an icon font is no name where there is a better one.
  if (title !== "" && !element.hasAttribute("aria-label") && isGlyph(element, name)) return title;
  return (
    name ||
    labelled(element) ||
    plain(PLACEHOLDERS.map((name) => attribute(element, name)).find(Boolean) ?? "") ||
    textAround(element) ||
    hinted(element)
  );
}

/**
 * The standard gives no name to what is not drawn, though its label is, and none by a label that an open list silences.
 */
function labelled(element: Element): string {
  const labels = [...((element as HTMLInputElement).labels ?? [])];
  const texts = labels.map((label) => written(label) || attribute(label, "aria-label") || attribute(label, "title"));
  return plain(texts.join(" "));
}

function isGlyph(element: Element, name: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(name)) return true;
  const { firstElementChild: only, childElementCount } = element;
  if (only === null || childElementCount !== 1 || plain(element.textContent ?? "") !== name) return false;
  return isIconFont(styleOf(only));
}

/**
 * Most names are a label of their own, or the text of an element that has nothing but text: they need no standard,
 * which takes its time.
 */
function quick(element: Element): string | undefined {
  if (NAMING.some((name) => element.hasAttribute(name))) return undefined;
  const label = plain(attribute(element, "aria-label"));
  if (label !== "") return label;
  if (!BY_CONTENT.test(element.localName) || element.shadowRoot !== null) return undefined;
  // A button may have a label beside it.
  if (((element as HTMLButtonElement).labels?.length ?? 0) > 0) return undefined;
  if (element.firstElementChild === null) return element.textContent ?? "";
  return element.querySelector(TELLING) === null ? written(element) : undefined;
}

function computed(element: Element): string {
  const name = computeAccessibleName(element, {
    getComputedStyle: (one, pseudo) => (pseudo ? pseudoStyle(one, pseudo) : styleOf(one)),
  });
  if (name !== "") return name;
  // The standard gives no name by content to what is no control, but that is what a person reads.
  const text = written(element);
  return /^(?:input|select|textarea)$/.test(element.localName) || (element as HTMLElement).isContentEditable === true
    ? ""
    : text;
}

/** The text that is shown, as it is written: how CSS sets its letters does not change a name. */
function written(element: Element): string {
  const shown = (element as HTMLElement).innerText ?? element.textContent ?? "";
  const text = plain(element.textContent ?? "");
  return text.toLowerCase() === plain(shown).toLowerCase() ? text : shown;
}

function pseudoStyle(element: Element, pseudo: string): CSSStyleDeclaration {
  return (element.ownerDocument.defaultView ?? window).getComputedStyle(element, pseudo);
}

/** Icons without a name: what the author called them. */
function hinted(element: Element): string {
  const icon = element.querySelector("svg title, img[src], [class*=icon], use");
  const file = icon
    ?.getAttribute("src")
    ?.replace(/.*\//, "")
    .replace(/\.\w+$/, "")
    .slice(0, 30);
  const hint =
    attribute(element, "name") ||
    attribute(element, "data-testid") ||
    element.id ||
    file ||
    attribute(element, "class").split(" ")[0] ||
    element.localName;
  return `?${hint}`;
}
