// Walks the page as a person sees it and writes it down, a line for every block: what can be acted on with its ref, headings, and short texts.

import { clip as shorten } from "../core/clip.js";
import {
  OUTLINE_ALIKE_MAX,
  OUTLINE_ALIKE_SHOWN,
  OUTLINE_LINES_ALL_MAX,
  OUTLINE_LINES_MAX,
  OUTLINE_ROW_CHARS_MAX,
  OUTLINE_TEXT_CHARS_MAX,
} from "../core/limits.js";
import { SEPARATOR } from "./changes.js";
import { describe, valueOf } from "./describe.js";
import { kindOf, type Kind } from "./kind.js";
import { nameOf } from "./name.js";
import { attribute, frameBody, inside, isElement, plain, styleOf } from "./tree.js";
import { clipped, hasSize, hides, overlaps, type Box } from "./visible.js";

export interface OutlineOptions {
  /** What is outside of the viewport too, and lists in full. */
  readonly all?: boolean;
  /** Long lists are cut short all the same. */
  readonly fold?: boolean;
  /** To read: no refs, texts in full. */
  readonly text?: boolean;
  /** To compare: nobody gets to see it. */
  readonly unseen?: boolean;
}

export interface Outline {
  readonly lines: readonly string[];
  /** How many that can be acted on are out of sight. */
  readonly above: number;
  readonly below: number;
}

/** What holds no text for a person. */
const SKIPPED = /^(?:script|style|template|noscript|head|meta|link|title|svg|canvas|video|audio|object|datalist|math)$/;
const INLINE = /^(?:inline|contents|ruby)/;
/** What can be acted on inside of something that reacts to a click as a whole. */
const HELD = "a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox],[contenteditable]";

/** Where a part of the page is seen: its window, and how far its document is from the top one's corner. */
interface Place {
  readonly clip: Box | undefined;
  readonly dx: number;
  readonly dy: number;
  /** The text is part of a name that was written already. */
  readonly silent: boolean;
}

export function outline(
  root: Element,
  { all = false, fold = !all, text: reading = false, unseen = false }: OutlineOptions = {},
): Outline {
  const lines: string[] = [];
  const linesMax = all ? OUTLINE_LINES_ALL_MAX : OUTLINE_LINES_MAX;
  let depth = 0;
  let rows = 0;
  let prefix = "";
  let pieces: string[] = [];
  let words = "";
  let above = 0;
  let below = 0;
  let cut = 0;

  const endText = (): void => {
    const text = plain(words);
    words = "";
    // Marks alone tell nothing.
    if (/[\p{L}\p{N}]/u.test(text)) pieces.push(reading ? text : shorten(text, OUTLINE_TEXT_CHARS_MAX));
  };
  const line = (text: string, at = depth): void => {
    if (lines.length < linesMax) lines.push(" ".repeat(at) + text);
    else cut++;
  };
  const flush = (): void => {
    endText();
    if (pieces.length === 0) return;
    const [first = "", ...rest] = pieces;
    const whole = reading ? pieces.join(" ") : pieces.join(SEPARATOR);
    if (reading || whole.length <= OUTLINE_ROW_CHARS_MAX) line(prefix + whole);
    else {
      line(prefix + first);
      for (const piece of rest) line(piece, rows > 0 ? depth + 1 : depth);
    }
    pieces = [];
  };
  /** In a row, what stands apart stays on its line. */
  const part = (): void => (rows > 0 ? endText() : flush());

  const isSeen = (element: Element, { clip, dx, dy }: Place): boolean => {
    if (clip === undefined) return true;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return overlaps({ left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy }, clip);
  };

  const passed = (element: Element, { clip, dy }: Place, count = element.querySelectorAll(HELD).length): void => {
    if (element.getBoundingClientRect().bottom + dy <= (clip?.top ?? 0)) above += count;
    else below += count;
  };

  const act = (element: Element, kind: Kind, place: Place, holds: boolean): void => {
    if (!hasSize(element)) return;
    if (!isSeen(element, place)) {
      passed(element, place, 1);
      return;
    }
    endText();
    if (!reading)
      pieces.push(
        describe(element, kind, { called: holds ? (element.localName === "tr" ? "row" : "box") : undefined, unseen }),
      );
    else if (holds) return;
    else if (kind === "field" || kind === "select" || kind === "slider")
      pieces.push(`${nameOf(element)}: ${valueOf(element, kind)}`);
    else words += ` ${nameOf(element)}`;
  };

  const children = (element: Element, place: Place): void => {
    if (!fold) {
      for (const child of inside(element)) visit(child, place);
      return;
    }
    for (const run of runs(inside(element))) {
      const [first] = run;
      const seen =
        run.length > OUTLINE_ALIKE_MAX && first !== undefined && isElement(first)
          ? run.filter((child) => isSeen(child as Element, place) && isShown(child as Element))
          : [];
      const rest = seen.length > OUTLINE_ALIKE_MAX ? new Set(seen.slice(OUTLINE_ALIKE_SHOWN)) : undefined;
      for (const child of run) {
        if (rest?.has(child) === true) continue;
        // Of a list out of sight nothing but the number is told.
        if (run.length > OUTLINE_ALIKE_SHOWN && isElement(child) && !isSeen(child, place) && hasSize(child))
          passed(child, place);
        else visit(child, place);
      }
      if (rest === undefined) continue;
      part();
      pieces.push(`… ${rest.size} more like this`);
      part();
    }
  };

  /** The branches of a tree stand below what they belong to. */
  const nested = (element: Element, place: Place): void => {
    const branch = element.querySelector("[role=group]") !== null;
    if (branch) flush();
    if (branch) depth++;
    children(element, place);
    if (branch) flush();
    if (branch) depth--;
  };

  const visit = (node: Node, place: Place): void => {
    if (node.nodeType === Node.TEXT_NODE) {
      const { parentElement } = node;
      if (
        !place.silent &&
        /\S/.test(node.nodeValue ?? "") &&
        (parentElement === null || (styleOf(parentElement).visibility === "visible" && isSeen(parentElement, place)))
      )
        words += node.nodeValue;
      return;
    }
    if (!isElement(node) || SKIPPED.test(node.localName)) return;
    const style = styleOf(node);
    if (hides(node, style) || isFolded(node)) return;
    if (node.localName === "br") words += "\n";
    const block = !INLINE.test(style.display);
    if (block) part();
    else if (/^inline-/.test(style.display)) endText();
    element(node, style, place);
    if (block) part();
  };

  const element = (node: Element, style: CSSStyleDeclaration, place: Place): void => {
    const kind = kindOf(node);
    const holds = kind === "area" && node.querySelector(HELD) !== null;
    if (kind !== undefined) {
      if (holds) flush();
      if (style.visibility === "visible") act(node, kind, place, holds);
      // A card that can be clicked may hold what can be clicked too.
      if (!holds) {
        if (kind !== "field" && kind !== "select" && node.firstElementChild !== null)
          nested(node, { ...place, silent: true });
        return;
      }
    }
    const level = headingLevel(node);
    if (level > 0) {
      flush();
      prefix = reading ? "" : `${"#".repeat(level)} `;
      children(node, place);
      flush();
      prefix = "";
      return;
    }
    const inner = within(node, style, place);
    if (isRow(node)) {
      if (!holds) flush();
      rows++;
      children(node, inner);
      flush();
      rows--;
      return;
    }
    const title = reading ? "" : titleOf(node);
    if (node.localName === "iframe" && frameBody(node) === undefined) {
      if (!reading && isSeen(node, place) && hasSize(node)) pieces.push(title);
      return;
    }
    if (title === "") {
      // What a label says is its control's name.
      const labels = node.localName === "label" && (node as HTMLLabelElement).control !== null;
      children(node, labels || (node.localName === "legend" && !reading) ? { ...inner, silent: true } : inner);
      return;
    }
    flush();
    const at = lines.length;
    depth++;
    children(node, inner);
    flush();
    depth--;
    if (lines.length > at) lines.splice(at, 0, `${" ".repeat(depth)}${title}:`);
  };

  visit(root, {
    clip: all ? undefined : { left: 0, top: 0, right: innerWidth, bottom: innerHeight },
    dx: 0,
    dy: 0,
    silent: false,
  });
  flush();
  if (cut > 0) lines.push(`… ${cut} more lines; look at a part of the page`);
  return { lines, above, below };
}

/** What scrolls by itself shows only what is inside of its box; a frame has corners of its own. */
function within(element: Element, style: CSSStyleDeclaration, place: Place): Place {
  if (place.clip === undefined) return place;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const { dx, dy } = place;
  const box = { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy };
  if (frameBody(element) !== undefined)
    return { ...place, clip: clipped(place.clip, box), dx: left + dx, dy: top + dy };
  if (style.overflow === "visible" || /^(?:body|html)$/.test(element.localName)) return place;
  return { ...place, clip: clipped(place.clip, box) };
}

/** Neighbours that look alike, together. Cells of a row are not. */
function runs(nodes: Iterable<Node>): Node[][] {
  const found: Node[][] = [];
  let last = "";
  for (const node of nodes) {
    // Space between elements does not part them.
    if (node.nodeType === Node.TEXT_NODE && !/\S/.test(node.nodeValue ?? "")) continue;
    const name = isElement(node) ? node.localName : "";
    const looks =
      isElement(node) && !/^t[dh]$/.test(name)
        ? `${name} ${attribute(node, "role")} ${/^(?:li|tr|option)$/.test(name) ? "" : attribute(node, "class")}`
        : "";
    if (looks !== "" && looks === last) found.at(-1)?.push(node);
    else found.push([node]);
    last = looks;
  }
  return found;
}

/** What a person has not opened. */
function isFolded({ localName, parentElement }: Element): boolean {
  return (
    parentElement?.localName === "details" && localName !== "summary" && !(parentElement as HTMLDetailsElement).open
  );
}

function isShown(element: Element): boolean {
  return !hides(element, styleOf(element)) && hasSize(element);
}

function headingLevel(element: Element): number {
  const native = /^h([1-6])$/.exec(element.localName)?.[1];
  return Number(native ?? (attribute(element, "role") === "heading" ? attribute(element, "aria-level") || 2 : 0));
}

function isRow(element: Element): boolean {
  if (element.localName === "tr" || attribute(element, "role") === "row") return true;
  return (
    (/^(?:li|article)$/.test(element.localName) || attribute(element, "role") === "listitem") &&
    element.querySelector("ul,ol,table,form,[role=list]") === null
  );
}

/** What stands above a group, so that its lines are understood. */
function titleOf(element: Element): string {
  const role = attribute(element, "role") || element.localName;
  const named = element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");
  switch (role) {
    case "dialog":
    case "alertdialog":
      return plain(`dialog ${named ? nameOf(element) : ""}`);
    case "alert":
      return "alert";
    case "nav":
    case "navigation":
      return plain(`nav ${named ? nameOf(element) : ""}`);
    case "iframe":
      return frameTitle(element as HTMLIFrameElement);
    case "fieldset":
      return nameOf(element).replace(/^\?.*/, "");
    case "group":
    case "radiogroup":
    case "tabpanel":
    case "menu":
    case "listbox":
    case "toolbar":
    case "tree":
      return named ? nameOf(element) : "";
    default:
      return "";
  }
}

function frameTitle(frame: HTMLIFrameElement): string {
  const name = frame.title || frame.name || frame.id || frame.src;
  return `frame ${name}${frameBody(frame) === undefined ? " (of another origin)" : ""}`;
}
