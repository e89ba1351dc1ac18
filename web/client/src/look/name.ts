// The name of an element: its accessible name by the standard, and without one, other text or attributes that identify
// it.

import { computeAccessibleName } from "dom-accessibility-api";
import { isIconFont, textAround } from "./reading.js";
import { attribute, plain, styleOf } from "./tree.js";

/** Attributes that replace or extend the name from content. */
const NAMING = ["aria-labelledby", "aria-owns", "title", "alt", "placeholder"];
/** Attributes with the hint of an empty field; editors draw it by CSS. */
const PLACEHOLDERS = ["placeholder", "aria-placeholder", "data-placeholder"];
const BY_CONTENT = /^(?:a|button|summary|h[1-6]|option|legend)$/;
/** Descendants whose contribution to the name differs from their text. */
const TELLING =
  "[aria-label],[aria-labelledby],[aria-hidden],[title],[alt],img,svg,input,select,textarea,slot,iframe,object,[role]";

export function nameOf(element: Element): string {
  // The name of a tree item does not include its children's.
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
  // A glyph of an icon font is only used without a better name.
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
 * The text of the labels, where the standard gives no name: for an invisible control with a visible label, and for a
 * label hidden from agents by an open list.
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
 * Most names are an `aria-label`, or the text of an element with nothing but text. These need no full computation,
 * which is slow.
 */
function quick(element: Element): string | undefined {
  if (NAMING.some((name) => element.hasAttribute(name))) return undefined;
  const label = plain(attribute(element, "aria-label"));
  if (label !== "") return label;
  if (!BY_CONTENT.test(element.localName) || element.shadowRoot !== null) return undefined;
  // A button may have a label beside it. The browser searches the whole document for labels.
  const mayBeLabelled = element.id !== "" || element.closest("label") !== null;
  if (mayBeLabelled && ((element as HTMLButtonElement).labels?.length ?? 0) > 0) return undefined;
  if (element.firstElementChild === null) return element.textContent ?? "";
  return element.querySelector(TELLING) === null ? written(element) : undefined;
}

function computed(element: Element): string {
  const name = computeAccessibleName(element, {
    getComputedStyle: (one, pseudo) => (pseudo ? pseudoStyle(one, pseudo) : styleOf(one)),
  });
  if (name !== "") return name;
  // The standard gives no name from content to elements other than controls, but people read that content.
  const text = written(element);
  return /^(?:input|select|textarea)$/.test(element.localName) || (element as HTMLElement).isContentEditable === true
    ? ""
    : text;
}

/** The visible text in its original letter case: `text-transform` does not change a name. */
function written(element: Element): string {
  const shown = (element as HTMLElement).innerText ?? element.textContent ?? "";
  const text = plain(element.textContent ?? "");
  return text.toLowerCase() === plain(shown).toLowerCase() ? text : shown;
}

function pseudoStyle(element: Element, pseudo: string): CSSStyleDeclaration {
  return (element.ownerDocument.defaultView ?? window).getComputedStyle(element, pseudo);
}

/** The author's own term for an element without a name, such as an icon. */
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
