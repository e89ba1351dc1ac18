// Finds the element that an agent means: by ref, by what a person reads, or by a CSS selector; in doubt it says which ones there are.

import { clip } from "../clip.js";
import { CANDIDATES_MAX, OUTLINE_NAME_CHARS_MAX } from "../limits.js";
import { misused } from "../verb.js";
import { describe } from "./describe.js";
import { kindOf } from "./kind.js";
import { nameOf } from "./name.js";
import { REF, referred, refOf, shownAs } from "./refs.js";
import { attribute, inside, isElement, plain, selectAll } from "./tree.js";
import { isVisible } from "./visible.js";

export interface Found {
  /** One is what was meant; several are in doubt. */
  readonly elements: readonly Element[];
  /** Whether there will never be one: the ref is gone, or was never given. */
  readonly never?: string;
}

const TEXT = /^text=/;
const CSS = /^css=/;
const WORD_CHARS_MIN = 3;

export function find(target: unknown): Found {
  if (target instanceof Element) return { elements: [target] };
  if (typeof target !== "string" || target === "") throw misused("this needs a target: a ref, text=…, css=… or a selector");
  const wanted = target.trim();
  if (REF.test(wanted)) {
    const one = referred(wanted);
    if (one?.element !== undefined) return { elements: [one.element] };
    const ref = wanted.replace("@", "");
    return { elements: [], never: one === undefined ? `there is no ${ref}; look gives refs` : `${ref} is gone; it was ${one.line.slice(ref.length + 1)}` };
  }
  if (TEXT.test(wanted)) return { elements: preferVisible(byText(wanted.replace(TEXT, ""))) };
  return { elements: preferVisible(bySelector(wanted.replace(CSS, ""))) };
}

function bySelector(selector: string): Element[] {
  try {
    return selectAll(selector);
  } catch {
    throw misused(`${selector} is no CSS selector`, "a target is a ref of look (e5), text=…, css=… or a CSS selector");
  }
}

function preferVisible(elements: readonly Element[]): Element[] {
  const visible = elements.filter(isVisible);
  return visible.length > 0 ? visible : [...elements];
}

/** The whole name before a part of it, what can be acted on before what can be read. */
function byText(text: string): Element[] {
  const wanted = plain(text).toLowerCase();
  if (wanted === "") return [];
  const ranks: [Element[], Element[], Element[], Element[]] = [[], [], [], []];
  const visit = (element: Element): void => {
    if (/^(?:script|style|template|noscript|head)$/.test(element.localName)) return;
    const kind = kindOf(element);
    if (kind !== undefined) {
      const name = nameOf(element).toLowerCase();
      if (name === wanted) ranks[0].push(element);
      else if (name.includes(wanted)) ranks[2].push(element);
    }
    let own = "";
    for (const node of inside(element)) {
      if (isElement(node)) visit(node);
      else own += node.nodeValue ?? "";
    }
    if (kind !== undefined) return;
    const shown = plain(own).toLowerCase();
    if (shown === wanted) ranks[1].push(element);
    else if (shown.includes(wanted)) ranks[3].push(element);
  };
  visit(document.body);
  return ranks.map(preferred).find((rank) => rank.length > 0) ?? [];
}

/** The text of a label means its control; of those inside of each other, the inner. */
function preferred(rank: readonly Element[]): Element[] {
  const meant = [...new Set(rank.map((element) => (element.closest("label") as HTMLLabelElement | null)?.control ?? element))];
  const visible = meant.filter(isVisible);
  const those = visible.length > 0 ? visible : meant;
  return those.filter((element) => !those.some((other) => other !== element && element.contains(other)));
}

/** How an element is named to an agent. */
export function lineOf(element: Element): string {
  if (kindOf(element) !== undefined) return describe(element);
  const text = clip(plain((element as HTMLElement).innerText ?? element.textContent ?? ""), OUTLINE_NAME_CHARS_MAX) || `<${element.localName}>`;
  const line = `${refOf(element)} ${text}`;
  shownAs(element, line);
  return line;
}

/** Those that an agent may have meant, best first. */
export function nearest(target: unknown): string {
  const words = plain(String(target).replace(TEXT, "").replace(CSS, "").replace(REF, (ref) => referred(ref)?.line.replace(/^\S+/, "") ?? ref)).toLowerCase();
  const candidates = selectAll("a[href],button,input:not([type=hidden]),select,textarea,summary,[role],[tabindex],[contenteditable],[onclick]")
    .filter((element) => kindOf(element) !== undefined && isVisible(element))
    .map((element) => ({ element, score: likeness(words, element) }));
  const best = candidates.sort((a, b) => b.score - a.score).slice(0, CANDIDATES_MAX);
  return best.map(({ element }) => lineOf(element)).join("; ");
}

function likeness(words: string, element: Element): number {
  const known = plain(`${nameOf(element)} ${element.id} ${attribute(element, "name")} ${attribute(element, "class")}`).toLowerCase();
  let score = 0;
  for (const word of words.split(/[^\p{L}\p{N}]+/u)) if (word.length >= WORD_CHARS_MIN && known.includes(word)) score += word.length;
  return score;
}

export function listed(elements: readonly Element[]): string {
  const shown = elements.slice(0, CANDIDATES_MAX).map(lineOf).join("; ");
  return elements.length > CANDIDATES_MAX ? `${shown}; … ${elements.length - CANDIDATES_MAX} more` : shown;
}
