// Finds the element that an agent means: by ref, by visible text, or by a CSS selector. If several match, all are
// returned.

import { hint } from "../core/hint.js";
import { clip } from "../core/clip.js";
import { CANDIDATES_MAX, OUTLINE_NAME_CHARS_MAX } from "../core/limits.js";
import { misused } from "../page/verb.js";
import { isStructured } from "./area.js";
import { describe } from "./describe.js";
import { kindOf } from "./kind.js";
import { nameOf } from "./name.js";
import { isEarlier, REF, referred, refOf, shownAs } from "./refs.js";
import { isNamed } from "./titles.js";
import { above, attribute, plain, selectAll } from "./tree.js";
import { isOffered, isVisible } from "./visible.js";

export interface Found {
  /** One element is a match; several are ambiguous. */
  readonly elements: readonly Element[];
  /** The reason if there will never be a match: the ref is gone, or was never assigned. */
  readonly never?: string;
}

const TEXT = /^text=/;
const CSS = /^css=/;
const UNREAD = /^(?:script|style|template|noscript|title)$/;
const WORD_CHARS_MIN = 3;
const COMPARED_MAX = 500;

/** A target to look for in one frame only. */
export class Scoped {
  constructor(
    readonly root: Document,
    readonly target: string,
  ) {}

  toString(): string {
    return this.target;
  }
}

/** An agent's target, limited to the frame that the agent named. Refs need no frame. */
export function scoped(target: unknown, root: Document): unknown {
  return typeof target !== "string" || REF.test(target.trim()) ? target : new Scoped(root, target);
}

export function find(target: unknown): Found {
  if (target instanceof Element) return { elements: [target] };
  // An element of a frame's own realm.
  if (typeof (target as Element | undefined)?.getBoundingClientRect === "function")
    return { elements: [target as Element] };
  const root = target instanceof Scoped ? target.root : document;
  const named = target instanceof Scoped ? target.target : target;
  if (typeof named !== "string" || named === "")
    throw misused("this needs a target: a ref, text=…, css=… or a selector");
  const wanted = named.trim();
  if (REF.test(wanted)) {
    const one = referred(wanted);
    if (one?.element !== undefined) return { elements: [one.element] };
    const ref = wanted.replace("@", "");
    return {
      elements: [],
      never:
        one === undefined
          ? isEarlier(wanted)
            ? `${ref} is of the page that was here before; look gives the refs of this one`
            : `there is no ${ref}; look gives refs`
          : `${ref} is gone; it was ${one.line.slice(ref.length + 1)}`,
    };
  }
  if (TEXT.test(wanted)) return { elements: preferVisible(byText(wanted.replace(TEXT, ""), root)) };
  return { elements: preferVisible(bySelector(wanted.replace(CSS, ""), root)) };
}

function bySelector(selector: string, root: Document): Element[] {
  try {
    return selectAll(selector, root);
  } catch {
    throw misused(`${selector} is no CSS selector`, hint("target"));
  }
}

function preferVisible(elements: readonly Element[]): Element[] {
  const offered = elements.filter(isOffered);
  if (offered.length > 0) return offered;
  const visible = elements.filter(isVisible);
  return visible.length > 0 ? visible : [...elements];
}

/** Elements that can probably be acted on, as a selector. */
const ACTING =
  "a[href],button,input:not([type=hidden]),select,textarea,summary,[role],[tabindex],[contenteditable],[onclick]";

/** Finds by text: whole names before parts of names, controls before plain text. */
function byText(text: string, root: Document): Element[] {
  const wanted = plain(text).toLowerCase();
  if (wanted === "") return [];
  const ranks: [Element[], Element[], Element[], Element[]] = [[], [], [], []];
  const rank = (element: Element, shown: string, first: 0 | 1): void => {
    const known = plain(shown).toLowerCase();
    if (known === wanted) ranks[first].push(element);
    else if (known.includes(wanted)) ranks[first === 0 ? 2 : 3].push(element);
  };
  for (const element of selectAll(ACTING, root)) {
    const kind = kindOf(element);
    // The content of an area does not count as its name.
    const called = kind === "area" && !isNamed(element) && isStructured(element) ? ownText(element) : undefined;
    if (kind !== undefined) rank(element, called ?? nameOf(element), 0);
  }
  if (ranks[0].length === 0)
    for (const element of selectAll("*", root)) if (!UNREAD.test(element.localName)) rank(element, ownText(element), 1);
  const those = ranks.map(preferred).find((one) => one.length > 0) ?? [];
  // Of several elements with this name, the one that shows it as its text.
  const read = those.filter((element) => plain((element as HTMLElement).innerText ?? "").toLowerCase() === wanted);
  return read.length === 1 ? read : those;
}

function ownText(element: Element): string {
  let text = "";
  for (let node = element.firstChild; node !== null; node = node.nextSibling)
    if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? "";
  return text;
}

/** A label's text means its control. Of nested elements, the inner one is meant. */
function preferred(rank: readonly Element[]): Element[] {
  const meant = [
    ...new Set(rank.map((element) => (element.closest("label") as HTMLLabelElement | null)?.control ?? element)),
  ];
  const those = preferVisible(meant);
  const outer = new Set<Element>();
  for (const element of those)
    for (let at = above(element); at !== null && !outer.has(at); at = above(at)) outer.add(at);
  return those.filter((element) => !outer.has(element));
}

/** The line that represents an element to an agent. */
export function lineOf(element: Element): string {
  if (kindOf(element) !== undefined) return describe(element);
  const text =
    clip(plain((element as HTMLElement).innerText ?? element.textContent ?? ""), OUTLINE_NAME_CHARS_MAX) ||
    `<${element.localName}>`;
  const line = `${refOf(element)} ${text}`;
  shownAs(element, line, nameOf(element));
  return line;
}

/**
 * Returns a message if the ref's element has another name than when it was shown: pages reuse elements, above all in
 * lists.
 */
export function renamed(target: unknown): string | undefined {
  const shown = typeof target === "string" && REF.test(target.trim()) ? referred(target.trim()) : undefined;
  if (shown?.element === undefined || shown.line === "") return undefined;
  const name = nameOf(shown.element);
  if (clip(name, OUTLINE_NAME_CHARS_MAX).toLowerCase() === shown.name.toLowerCase()) return undefined;
  return `${shown.line} is now ${lineOf(shown.element).replace(/^\S+ /, "")}; if that is meant too, ask again`;
}

/** The elements that an agent may have meant, best first, as a hint. */
export function nearest(target: unknown): string {
  const words = plain(
    String(target)
      .replace(TEXT, "")
      .replace(CSS, "")
      .replace(REF, (ref) => referred(ref)?.line.replace(/^\S+/, "") ?? ref),
  ).toLowerCase();
  const candidates = selectAll(ACTING)
    .slice(0, COMPARED_MAX)
    .filter((element) => kindOf(element) !== undefined && isVisible(element))
    .map((element) => ({ element, score: likeness(words, element) }));
  const best = candidates.sort((a, b) => b.score - a.score).slice(0, CANDIDATES_MAX);
  return hint("nearest", ...best.map(({ element }) => lineOf(element)));
}

function likeness(words: string, element: Element): number {
  const known = plain(
    `${nameOf(element)} ${element.id} ${attribute(element, "name")} ${attribute(element, "class")}`,
  ).toLowerCase();
  let score = 0;
  for (const word of words.split(/[^\p{L}\p{N}]+/u))
    if (word.length >= WORD_CHARS_MIN && known.includes(word)) score += word.length;
  return score;
}

export function listed(elements: readonly Element[]): string {
  const shown = elements.slice(0, CANDIDATES_MAX).map(lineOf);
  const more = elements.length - shown.length;
  return hint("elements", ...shown, ...(more > 0 ? [`… ${more} more`] : []));
}
