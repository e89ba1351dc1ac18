// The verbs `look`, `text`, `query` and `highlight`, and the functions that other parts need: whether a target is seen,
// and the difference between two looks.

import { clip } from "../core/clip.js";
import { isSecret } from "../core/element.js";
import { LOOK_AGENTS_MAX } from "../core/limits.js";
import { misused, type Params, type Verbs } from "../page/verb.js";
import { changes, printed } from "./changes.js";
import { find, lineOf, listed, nearest } from "./find.js";
import { highlight } from "./highlight.js";
import { hitAt, isOf } from "./hit.js";
import { outline } from "./outline.js";
import { marks, named, rectOf } from "./picture.js";
import { comparedElement, PROVISIONAL, refOf } from "./refs.js";
import { above, attribute, holds, plain, selectAll } from "./tree.js";
import { isOffered, isVisible } from "./visible.js";

/** Elements that are tested to learn whether a dialog blocks everything else. */
const REACHED = "a[href],button,input,select,textarea";
const REACHED_MAX = 20;
const QUERIED_MAX = 50;
const QUERIED_TEXT_MAX = 500;
const QUERIED_HTML_MAX = 1000;
const QUERIED_ALL_TEXT_MAX = 100;

export function looks(): Verbs {
  /** The last look of each agent; the latest are last. */
  const looks = new Map<string, readonly string[]>();

  const rootOf = (target: unknown): Element => {
    if (target === undefined) return modal() ?? body();
    const { elements, never } = find(target);
    const [element] = elements;
    if (element !== undefined && elements.length === 1) return element;
    if (element !== undefined) throw misused(`${String(target)} is ${elements.length} elements`, listed(elements));
    throw misused(never ?? `nothing matches ${String(target)}`, nearest(target));
  };

  const look = ({ target, all, since }: Params, agent: string): string => {
    const root = rootOf(target);
    const whole = target !== undefined;
    const { lines, above, below } = outline(root, { all: all === true || whole, fold: all !== true });
    const before = looks.get(agent);
    looks.delete(agent);
    if (looks.size >= LOOK_AGENTS_MAX) for (const oldest of [...looks.keys()].slice(0, 1)) looks.delete(oldest);
    looks.set(agent, lines);
    if (since === true && before !== undefined) return changes(before, lines).join("\n") || "nothing changed";
    const rest = [above > 0 ? `${above} above` : "", below > 0 ? `${below} below` : ""].filter(Boolean).join(", ");
    const loading = document.readyState === "complete" ? [] : ["… still loading"];
    if (lines.length === 0 && rest === "") return ["nothing to see", ...loading].join("\n");
    return [...lines.map(printed), ...(rest === "" ? [] : [`… more out of view: ${rest} (--all)`]), ...loading].join(
      "\n",
    );
  };

  return {
    look: (params, { agent }) => look(params, agent),
    text({ target }) {
      const read = (root: Element): string => outline(root, { all: true, text: true }).lines.join("\n");
      if (target !== undefined) return read(rootOf(target));
      const about = main();
      return (about && read(about)) || read(body());
    },
    highlight({ target, ms }) {
      const element = target === undefined ? undefined : rootOf(target);
      highlight(element, ms);
      return element === undefined ? "" : lineOf(element);
    },
    query({ target, all, picture }) {
      if (isPicture(picture)) {
        // As text, since values that are lists get shortened.
        if (picture.regions !== undefined) return JSON.stringify(named(rootOf(undefined), picture.regions));
        const rect = target === undefined ? undefined : rectOf(rootOf(target));
        const drawn = picture.marks === true ? marks(rootOf(target), picture.all === true) : [];
        return JSON.stringify({ rect, marks: drawn });
      }
      const { elements, never } = find(target);
      if (never !== undefined) throw misused(never, nearest(target));
      if (all === true) return elements.slice(0, QUERIED_MAX).map((element) => facts(element, QUERIED_ALL_TEXT_MAX));
      const [element] = elements;
      if (element === undefined) throw misused(`nothing matches ${String(target)}`, nearest(target));
      return {
        ...facts(element, QUERIED_TEXT_MAX),
        html: clip(htmlOf(element), QUERIED_HTML_MAX),
        rect: rectOf(element),
      };
    },
  };
}

/** The line of the first visible element that matches a target; `undefined` while there is none. */
export function seen(target: unknown): string | undefined {
  const found = find(target);
  if (found.never !== undefined) throw misused(found.never, nearest(target));
  const visible = found.elements.find(isVisible);
  return visible && lineOf(visible);
}

/** Everything that the page shows, in view or not, for a later comparison. */
export function view(): readonly string[] {
  return outline(body(), { compare: true, all: true, fold: false }).lines;
}

/** The differences; elements in them get refs, and count as shown to the agent. */
export function difference(before: readonly string[], after: readonly string[]): string[] {
  return changes(before, after).map((told) => {
    const [mark, piece] = [told.slice(0, 2), told.slice(2)];
    const element = comparedElement(piece);
    if (element === undefined) return told;
    if (element.isConnected) lineOf(element);
    return mark + piece.replace(PROVISIONAL, refOf(element));
  });
}

interface Picture {
  readonly marks?: boolean;
  readonly all?: boolean;
  readonly regions?: Parameters<typeof named>[1];
}

/** The internal form of `query` with which the browser's driver prepares a picture; not available to agents. */
function isPicture(value: unknown): value is Picture {
  return typeof value === "object" && value !== null;
}

/** The HTML without the values of secret fields. */
function htmlOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const field of [copy, ...copy.querySelectorAll("input")]) if (isSecret(field)) field.removeAttribute("value");
  return copy.outerHTML;
}

function facts(element: Element, charsMax: number): object {
  const text = (element as HTMLElement).innerText ?? element.textContent ?? "";
  return {
    tag: element.localName,
    id: element.id,
    className: attribute(element, "class"),
    text: clip(plain(text), charsMax),
  };
}

/** The open dialog that blocks everything else, if any. */
function modal(): Element | undefined {
  return selectAll("dialog:modal, [aria-modal=true]").findLast(
    (element) =>
      // A dialog that is fading out is hidden from agents already.
      isOffered(element) && above(element) !== null && (element.matches("dialog:modal") || isShutting(element)),
  );
}

/** Whether a pointer reaches nothing outside of the dialog: some are declared modal and are not. */
function isShutting(element: Element): boolean {
  const beside = selectAll(REACHED).filter((one) => !holds(element, one) && isVisible(one));
  return !beside.slice(0, REACHED_MAX).some((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const hit = hitAt(one.ownerDocument, left + width / 2, top + height / 2);
    return hit !== undefined && isOf(one, hit);
  });
}

/** A page that has just begun to load, or that empties its document, has no body. */
function body(): Element {
  const { body, documentElement } = document as { body: Element | null; documentElement: Element | null };
  return body ?? documentElement ?? document.createElement("body");
}

/** The element with the page's main content. */
function main(): Element | undefined {
  return selectAll("main, [role=main]").find(isVisible);
}
