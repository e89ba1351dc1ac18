// Renders a DOM node as one short tag, without its surroundings.

import { clip } from "./clip.js";
import { ELEMENT_TEXT_CHARS_MAX, ELEMENT_TEXT_NODES_MAX } from "./limits.js";

const NAMING = ["aria-label", "alt", "placeholder"];
const SECRETS = /\b(?:one-time-code|cc-number|cc-csc|(?:current|new)-password)$/i;
const PASSWORD = /passw(?:or)?d/i;
const FIELD = /^(?:input|textarea)$/;
/** Replaces a secret. */
export const HIDDEN = "•••";
/** Shorter values also occur in texts that are not secret. */
const SECRET_CHARS_MIN = 4;
const CLASSES_MAX = 3;
const TEXT_NODE = 3;
const COMMENT_NODE = 8;
const DOCUMENT_NODE = 9;

/** Every realm has its own `Node` class, so nodes are recognized by their members. */
export function isNode(value: object): value is Node {
  return "nodeType" in value && "childNodes" in value;
}

/** Node lists, live and static, are recognized by their tag. */
export function isNodeList(tag: string): boolean {
  return /^(?:Radio)?NodeList$|^HTML\w*Collection$/.test(tag);
}

export function renderNode(node: Node): string {
  if (node.nodeType === TEXT_NODE) return `#text ${JSON.stringify(shorten(node.nodeValue ?? ""))}`;
  if (node.nodeType === COMMENT_NODE) return `<!--${shorten(node.nodeValue ?? "")}-->`;
  if (node.nodeType === DOCUMENT_NODE) return `#document ${(node as Document).URL}`;
  if (!("getAttribute" in node)) return node.nodeName.toLowerCase();
  const element = node as Element;
  let text = `<${element.nodeName.toLowerCase()}`;
  // A form field named "id" hides the form's own `id` property.
  const id = element.getAttribute("id");
  if (id) text += `#${id}`;
  const classes = [...element.classList];
  for (const name of classes.slice(0, CLASSES_MAX)) text += `.${name}`;
  if (classes.length > CLASSES_MAX) text += ".…";
  const label = labelOf(element);
  return label === "" ? `${text}>` : `${text} ${JSON.stringify(label)}>`;
}

/** Whether a field holds a secret: a password, a one-time code, a card number. */
export function isSecret(element: Element): boolean {
  return (
    element.getAttribute("type")?.toLowerCase() === "password" ||
    SECRETS.test(element.getAttribute("autocomplete") ?? "") ||
    // Also a password field that shows its text. The browser's driver has the same rule (`drive/secrets.rs`).
    (FIELD.test(element.localName) && PASSWORD.test(`${element.getAttribute("name")} ${element.getAttribute("id")}`))
  );
}

/** Hides the current values of the page's secret fields in a text. */
export function withoutSecrets(text: string): string {
  let shown = text;
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input,textarea"))
    if (field.value.length >= SECRET_CHARS_MIN && isSecret(field)) shown = shown.replaceAll(field.value, HIDDEN);
  return shown;
}

function labelOf(element: Element): string {
  const { value } = element as { value?: unknown };
  const text = typeof value === "string" && value !== "" && !isSecret(element) ? value : textOf(element);
  return shorten(text || (NAMING.map((name) => element.getAttribute(name)).find(Boolean) ?? ""));
}

/**
 * The first words of an element, without visiting all of a large one. Hidden descendants of a visible element are left
 * out.
 */
function textOf(element: Element): string {
  const shown = isShown(element);
  let text = "";
  let left = ELEMENT_TEXT_NODES_MAX;
  const visit = (parent: Node): void => {
    for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
      if (left-- <= 0 || text.length > ELEMENT_TEXT_CHARS_MAX * 2) return;
      if (node.nodeType === TEXT_NODE) text += ` ${(node.nodeValue ?? "").slice(0, 4 * ELEMENT_TEXT_CHARS_MAX).trim()}`;
      else if (node.nodeName !== "SCRIPT" && node.nodeName !== "STYLE" && !(shown && !isShown(node))) visit(node);
      text = text.trimStart();
    }
  };
  visit(element);
  return text;
}

function isShown(node: Node): boolean {
  return (node as { checkVisibility?: () => boolean }).checkVisibility?.() !== false;
}

function shorten(text: string): string {
  return clip(text.replace(/\s+/g, " ").trim(), ELEMENT_TEXT_CHARS_MAX);
}
