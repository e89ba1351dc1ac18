// Walks the page as a person sees it and writes one line per block: controls with their refs, headings, and short
// texts.

import { clip as shorten } from "../core/clip.js";
import {
  OUTLINE_ALIKE_MAX,
  OUTLINE_ALIKE_SHOWN,
  OUTLINE_LINES_ALL_MAX,
  OUTLINE_LINES_MAX,
  OUTLINE_NAME_CHARS_MAX,
  OUTLINE_PRE_LINES_MAX,
  OUTLINE_ROW_CHARS_MAX,
  OUTLINE_TEXT_CHARS_MAX,
} from "../core/limits.js";
import { calledAs, HELD, isStructured } from "./area.js";
import { SEPARATOR } from "./changes.js";
import { describe, linesOf, valueOf } from "./describe.js";
import { type Kind, kindOf } from "./kind.js";
import { nameOf } from "./name.js";
import { type Clipping, clippingOf, isSeen, own, within } from "./clipping.js";
import { choiceBox, isDrawing, labelledBy, isPartOfName, SKIPPED, shownText } from "./reading.js";
import { frameNumbers, headingLevel, isRow, pictureOf, stateOf, titleOf } from "./titles.js";
import { attribute, frameBody, inside, isElement, isSet, plain, styleOf, type Tag, tagOf } from "./tree.js";
import { hasSize, hides, isBeyond, isClippedAway, isMarkedDisabled, isSilenced } from "./visible.js";

export interface OutlineOptions {
  /** Includes content outside of the viewport, and lists in full. */
  readonly all?: boolean;
  /** Shortens long lists even with `all`. */
  readonly fold?: boolean;
  /** For reading: no refs, texts in full. */
  readonly text?: boolean;
  /** For comparing: everything in full, also what a dialog hides from agents meanwhile. Refs are provisional. */
  readonly compare?: boolean;
  /** Called for everything that gets a ref, with the element that shows it. */
  readonly met?: (element: Element, shown: Element) => void;
}

export interface Outline {
  readonly lines: readonly string[];
  /** The number of controls out of sight. */
  readonly above: number;
  readonly below: number;
}

/** The style of an element, with its `display`, which is read once. */
interface Displayed {
  readonly style: CSSStyleDeclaration;
  readonly display: string;
}

const INLINE = /^(?:inline|contents|ruby)/;
/** In an SVG up to this size, only elements with these markers are inspected. */
const ICON_PX_MAX = 32;
const SVG_MARKED = "a[href],[role],[tabindex],[onclick],text";
/** Marks a visible line break. */
const BREAK = "\u2028";

export function outline(
  root: Element,
  { all = false, fold = !all, text: reading = false, compare = false, met }: OutlineOptions = {},
): Outline {
  const lines: string[] = [];
  const linesMax = all || compare ? OUTLINE_LINES_ALL_MAX : OUTLINE_LINES_MAX;
  let depth = 0;
  let rows = 0;
  let prefix = "";
  let pieces: string[] = [];
  let words = "";
  let above = 0;
  let below = 0;
  let cut = 0;
  /** The last visited element: its text mostly follows right after it. */
  let visited: { readonly element: Element; readonly style: CSSStyleDeclaration } | undefined;

  const endText = (): void => {
    if (words === "") return;
    const [first = "", ...more] = words.split(BREAK);
    words = "";
    piece(plain(first));
    const shown = reading || compare ? more : more.slice(0, OUTLINE_PRE_LINES_MAX);
    for (const one of shown) {
      writeLine();
      if (/\S/.test(one))
        pieces.push(reading ? one.trimEnd() : compare ? plain(one) : shorten(plain(one), OUTLINE_TEXT_CHARS_MAX));
    }
    if (shown.length === more.length) return;
    writeLine();
    pieces.push(`… ${more.length - shown.length} more lines of text`);
  };
  const piece = (text: string): void => {
    // Text without letters and digits is left out.
    if (/[\p{L}\p{N}]/u.test(text)) pieces.push(reading || compare ? text : shorten(text, OUTLINE_TEXT_CHARS_MAX));
  };
  const line = (text: string, at = depth): void => {
    if (lines.length < linesMax) lines.push(" ".repeat(at) + text);
    else cut++;
  };
  const flush = (): void => {
    endText();
    writeLine();
  };
  const writeLine = (): void => {
    if (pieces.length === 0) return;
    const [first = "", ...rest] = pieces;
    const text = reading ? pieces.join(" ") : pieces.join(SEPARATOR);
    if (reading || text.length <= OUTLINE_ROW_CHARS_MAX) line(prefix + text);
    else {
      line(prefix + first);
      for (const piece of rest) line(piece, rows > 0 ? depth + 1 : depth);
    }
    pieces = [];
  };
  /** Starts a new piece: in a row on the same line, else on a new one. */
  const part = (): void => (rows > 0 ? endText() : flush());

  const passed = (element: Element, { clip, dy }: Clipping, count = element.querySelectorAll(HELD).length): void => {
    if (element.getBoundingClientRect().bottom + dy <= (clip?.top ?? 0)) above += count;
    else below += count;
  };

  /** `shown`: the element that shows this one, if that is another. */
  const act = (element: Element, kind: Kind, place: Clipping, holds: boolean, shown = element): void => {
    const box = shown.getBoundingClientRect();
    if (!hasSize(shown, box) || isBeyond(shown, box)) return;
    if (place.pixel && !/^(?:input|select|textarea)$/.test(element.localName)) return;
    if (!isSeen(shown, place)) {
      passed(element, place, 1);
      return;
    }
    endText();
    met?.(element, shown);
    // What is shown by another element has other elements around it.
    const disabled = element === visited?.element ? place.disabled || element.matches(":disabled") : undefined;
    const called = holds ? calledAs(element) : undefined;
    if (!reading) pieces.push(describe(element, kind, { called, compare, disabled }));
    else if (kind === "field" || kind === "select" || kind === "slider") {
      const value = linesOf(element)?.trim().replaceAll("\n", BREAK) || valueOf(element, kind, true);
      words += `${nameOf(element)}: ${value}`;
      endText();
    } else words += ` ${nameOf(element)}`;
  };

  const children = (element: Element, place: Clipping, { name }: Tag): void => {
    const all = inside(element, name);
    const nodes = isFolded(element, name) ? all.filter(isSummary) : all;
    if (!fold) {
      for (const child of nodes) visit(child, place);
      return;
    }
    for (const run of runs(nodes)) {
      const alike = run.filter(isElement);
      const seen =
        alike.length > OUTLINE_ALIKE_MAX ? alike.filter((child) => isSeen(child, place) && isShown(child)) : [];
      const rest = seen.length > OUTLINE_ALIKE_MAX ? new Set<Node>(seen.slice(OUTLINE_ALIKE_SHOWN)) : undefined;
      for (const child of run) {
        if (rest?.has(child) === true) continue;
        // Items of a long list that are out of sight are only counted.
        if (alike.length > OUTLINE_ALIKE_SHOWN && isElement(child) && !isSeen(child, place) && hasSize(child))
          passed(child, place);
        else visit(child, place);
      }
      if (rest === undefined) continue;
      part();
      pieces.push(`… ${rest.size} more like this`);
      part();
    }
  };

  /** The children of a tree item are written below it. */
  const nested = (element: Element, place: Clipping, tag: Tag): void => {
    const branch = element.querySelector("[role=group]") !== null;
    if (branch) flush();
    if (branch) depth++;
    children(element, place, tag);
    if (branch) flush();
    if (branch) depth--;
  };

  const read = ({ nodeValue, parentElement }: Node, place: Clipping): void => {
    const text = nodeValue ?? "";
    const isSpace = !/\S/.test(text);
    // Space before any word changes nothing.
    if (place.silent || (isSpace && words === "")) return;
    if (parentElement !== null) {
      const style = parentElement === visited?.element ? visited.style : styleOf(parentElement);
      if (style.visibility !== "visible" || !isSeen(parentElement, place)) return;
      // Preserved line breaks are kept.
      if (!isSpace && text.includes("\n") && /^(?:preserve|break)/.test(style.whiteSpaceCollapse)) {
        words += text.replace(/\n$/, "").replaceAll("\n", BREAK);
        return;
      }
    }
    // A space separates words wherever its text node is.
    words += isSpace ? " " : text;
  };

  const choiceBoxes = new Map<Element, Element>();
  const findChoices = (within: ParentNode): void => {
    for (const field of within.querySelectorAll("input[role=combobox]")) {
      const box = choiceBox(field);
      if (box !== undefined) choiceBoxes.set(box, field);
    }
  };

  const visit = (node: Node, around: Clipping): void => {
    if (node.nodeType === Node.TEXT_NODE) {
      read(node, around);
      return;
    }
    if (!isElement(node)) return;
    const tag = tagOf(node);
    const { name, marked } = tag;
    if (SKIPPED.test(name)) return;
    const style = styleOf(node);
    const { display } = style;
    visited = { element: node, style };
    if (hides(node, style, display) || (marked && isSilenced(node, compare))) return;
    const clipping = own(style, around);
    const place = marked && isSet(node, "aria-disabled") ? { ...clipping, disabled: true } : clipping;
    const apart = node.shadowRoot ?? frameBody(node, name);
    if (apart !== undefined) findChoices(apart);
    if (name === "br") words += reading ? BREAK : " ";
    const block = !INLINE.test(display);
    if (block) part();
    else if (display.startsWith("inline-")) endText();
    const box = { style, display };
    if (name === "svg") drawing(node, box, place, tag);
    else element(node, box, place, tag);
    if (marked && !isRow(node, tag)) mark(node, place, tag);
    if (block) part();
  };

  /** Adds the visible state of an element that is not a control. */
  const mark = (node: Element, place: Clipping, tag: Tag): void => {
    const state = reading ? "" : stateOf(node);
    // The cheaper checks come first.
    if (state === "" || kindOf(node, undefined, tag) !== undefined || !isSeen(node, place)) return;
    endText();
    if (pieces.length > 0) pieces[pieces.length - 1] += ` ${state}`;
  };

  const element = (node: Element, { style, display }: Displayed, place: Clipping, tag: Tag): void => {
    const { name, role } = tag;
    const isPixel = isClippedAway(node, style, display);
    const inner = isPixel ? { ...place, silent: true, pixel: true } : within(node, style, place);
    const field = choiceBoxes.size === 0 ? undefined : choiceBoxes.get(node);
    if (field !== undefined) {
      act(field, "field", place, false, node);
      return;
    }
    const drawing = kindOf(node, style, tag);
    const mayDraw = drawing === "area" || (drawing === "button" && role === "combobox");
    const kind = mayDraw && isDrawing(node) ? undefined : drawing;
    // For reading, an area is its content.
    const area = kind === "area" && reading;
    const holds = kind === "area" && !reading && isStructured(node);
    if (kind !== undefined && !area) {
      if (holds) flush();
      if (style.visibility === "visible") act(node, kind, place, holds);
      if (name === "pre") flush();
      // A clickable card may contain controls.
      if (!holds) {
        if (kind !== "field" && kind !== "select" && node.firstElementChild !== null)
          nested(node, { ...inner, silent: true }, tag);
        return;
      }
    }
    const picture = pictureOf(node, tag);
    if (picture !== undefined) {
      if (picture !== "" && !place.silent && hasSize(node) && isSeen(node, place)) {
        endText();
        pieces.push(picture);
      }
      return;
    }
    const level = headingLevel(node, tag);
    if (level > 0) {
      flush();
      prefix = reading ? "" : `${"#".repeat(level)} `;
      children(node, inner, tag);
      flush();
      prefix = "";
      return;
    }
    if (isRow(node, tag)) {
      if (!holds) flush();
      rows++;
      children(node, inner, tag);
      if (tag.marked) mark(node, place, tag);
      flush();
      rows--;
      return;
    }
    const title = reading || holds ? "" : titleOf(node, tag);
    if (name === "iframe" && frameBody(node, name) === undefined) {
      if (reading || !isSeen(node, place) || !hasSize(node)) return;
      // The lines of a numbered frame follow below.
      const numbered = frameNumbers.has(node);
      if (numbered) flush();
      pieces.push(title);
      if (numbered) flush();
      return;
    }
    if (title === "") {
      const control = name === "label" ? labelledBy(node) : null;
      const drawn = control !== null && !control.checkVisibility() ? kindOf(control) : undefined;
      // The control may be visible only through its label.
      if (control !== null && /^(?:check|choice|file)$/.test(drawn ?? ""))
        act(control, drawn ?? "check", place, false, node);
      // The text of a label is already shown as its control's name.
      const labels = control !== null && (drawn !== undefined || (control.checkVisibility() && isSeen(control, place)));
      const named = labels && (isTicked(control) || isPartOfName(shownText(node, [control]), nameOf(control)));
      const silent = inner.silent || named || (name === "legend" && !reading);
      children(node, silent === inner.silent ? inner : { ...inner, silent }, tag);
      return;
    }
    flush();
    const at = lines.length;
    depth++;
    children(node, inner, tag);
    flush();
    depth--;
    if (lines.length > at) lines.splice(at, 0, `${" ".repeat(depth)}${title}:`);
  };

  /** Writes an SVG: its controls, its texts, and its description. */
  const drawing = (node: Element, box: Displayed, place: Clipping, tag: Tag): void => {
    const { width, height } = node.getBoundingClientRect();
    const parts = node.querySelectorAll(width > ICON_PX_MAX || height > ICON_PX_MAX ? "*" : SVG_MARKED);
    let held: Element | undefined;
    for (const one of parts) {
      const kind = kindOf(one);
      if (kind !== undefined) {
        held = one;
        endText();
        act(one, kind, place, false);
      } else if (one.localName === "text" && held?.contains(one) !== true && isWritten(one, place)) {
        endText();
        piece(plain(one.textContent ?? ""));
      }
    }
    const picture = kindOf(node) === undefined ? plain(attribute(node, "aria-label")) || pictureOf(node) : undefined;
    if (kindOf(node) !== undefined) element(node, box, place, tag);
    else if (picture && !place.silent && isSeen(node, place)) {
      endText();
      pieces.push(picture.startsWith("image: ") ? picture : `image: ${shorten(picture, OUTLINE_NAME_CHARS_MAX)}`);
    }
  };

  findChoices(root);
  const view = all || compare ? undefined : { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const { parentElement } = root;
  if (parentElement === null || !isFolded(parentElement, parentElement.localName) || isSummary(root))
    visit(root, clippingOf(view, isMarkedDisabled(root)));
  flush();
  if (cut > 0) {
    const next =
      root.localName !== "body" ? "text prints it to read" : all ? "look at a part of the page" : "--all, or a part";
    lines.push(`… ${cut} more lines; ${next}`);
  }
  return { lines, above, below };
}

/** Groups siblings that look alike, with the white space between them. Cells of a row are not grouped. */
function runs(nodes: Iterable<Node>): Node[][] {
  const found: Node[][] = [];
  let last = "";
  for (const node of nodes) {
    const space = node.nodeType === Node.TEXT_NODE && !/\S/.test(node.nodeValue ?? "");
    const name = isElement(node) ? node.localName : "";
    const looks =
      isElement(node) && !/^t[dh]$/.test(name)
        ? `${name} ${attribute(node, "role")} ${/^(?:li|tr|option)$/.test(name) ? "" : attribute(node, "class")}`
        : "";
    if (found.length > 0 && (space || (looks !== "" && looks === last))) found.at(-1)?.push(node);
    else found.push([node]);
    if (!space) last = looks;
  }
  return found;
}

/** Whether an element is a closed `details`, which hides everything but its summary. */
function isFolded(element: Element, name: string): boolean {
  return name === "details" && !(element as HTMLDetailsElement).open;
}

function isSummary(node: Node): boolean {
  return isElement(node) && node.localName === "summary";
}

/** Whether a text of an SVG is written. */
function isWritten(text: Element, place: Clipping): boolean {
  return !place.silent && text.checkVisibility({ visibilityProperty: true }) && isSeen(text, place);
}

/** Checkboxes and radio buttons are written with all that their labels show. */
function isTicked(control: Element): boolean {
  return /^(?:check|choice)$/.test(kindOf(control) ?? "");
}

function isShown(element: Element): boolean {
  return !hides(element, styleOf(element)) && !isSilenced(element) && hasSize(element);
}
