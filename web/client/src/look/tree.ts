// The tree as it is displayed: with shadow roots, the documents of same-origin frames, and slotted content.

export function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

/**
 * What the markup says of an element. It is read once for each element of an outline: each question to the browser
 * costs as much as the code around it.
 */
export interface Tag {
  readonly name: string;
  /** Empty without one. */
  readonly role: string;
  /** Whether it has any attribute. */
  readonly marked: boolean;
}

export function tagOf(element: Element): Tag {
  const marked = element.hasAttributes();
  return { name: element.localName, role: marked ? attribute(element, "role") : "", marked };
}

/** The displayed child nodes of an element. */
export function inside(element: Element, name = element.localName): readonly Node[] {
  const frame = frameBody(element, name);
  if (frame !== undefined) return [frame];
  if (name === "slot") {
    const put = (element as HTMLSlotElement).assignedNodes();
    if (put.length > 0) return put;
  }
  const nodes: Node[] = [];
  // To follow the siblings takes a fraction of the time of iterating over `childNodes`.
  for (let at = (element.shadowRoot ?? element).firstChild; at !== null; at = at.nextSibling) nodes.push(at);
  return nodes;
}

/** The body of a same-origin frame. */
export function frameBody(element: Element, name = element.localName): Element | undefined {
  if (name !== "iframe" && name !== "frame") return undefined;
  try {
    return (element as HTMLIFrameElement).contentDocument?.body ?? undefined;
  } catch {
    return undefined;
  }
}

/** The parent in the displayed tree, across shadow roots and frames. */
export function above(element: Element): Element | null {
  if (element.assignedSlot !== null) return element.assignedSlot;
  if (element.parentElement !== null) return element.parentElement;
  const root = element.getRootNode();
  if (root instanceof ShadowRoot || "host" in root) return (root as ShadowRoot).host;
  return element.ownerDocument.defaultView?.frameElement ?? null;
}

/** Converts a position in an element's document to the top document's coordinates, which the browser's input uses. */
export function inTop(place: { readonly x: number; readonly y: number }, element: Element): { x: number; y: number } {
  let { x, y } = place;
  for (let view = element.ownerDocument.defaultView; view?.frameElement; view = view.parent as typeof view) {
    const frame = view.frameElement;
    const { left, top } = frame.getBoundingClientRect();
    x += left + frame.clientLeft;
    y += top + frame.clientTop;
  }
  return { x, y };
}

/** Every element that matches a selector, in shadow roots and same-origin frames too. Throws on an invalid selector. */
export function selectAll(selector: string, root: ParentNode = document): Element[] {
  const found = [...root.querySelectorAll(selector)];
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot !== null) found.push(...selectAll(selector, element.shadowRoot));
    const body = frameBody(element);
    if (body !== undefined) found.push(...selectAll(selector, body.ownerDocument));
  }
  return found;
}

/**
 * The styles of elements of this document that were looked at. Each stays up to date, and to make one costs as much as
 * to read it.
 */
const styles = new WeakMap<Element, CSSStyleDeclaration>();
const here = document;

export function styleOf(element: Element): CSSStyleDeclaration {
  const { ownerDocument } = element;
  if (ownerDocument !== here) return (ownerDocument.defaultView ?? window).getComputedStyle(element);
  const known = styles.get(element);
  if (known !== undefined) return known;
  const style = getComputedStyle(element);
  styles.set(element, style);
  return style;
}

export function attribute(element: Element, name: string): string {
  return element.getAttribute(name) ?? "";
}

export function isSet(element: Element, name: string): boolean {
  return attribute(element, name) === "true";
}

export function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Whether a node is this element or displayed inside of it. */
export function holds(element: Element, other: Element | null): boolean {
  for (let at = other; at !== null; at = above(at)) if (at === element) return true;
  return false;
}

/**
 * Whether it has an EditContext: then it takes text without being editable, and may be no wider than a caret (Monaco).
 */
export function takesKeys(element: Element): boolean {
  return ((element as { editContext?: unknown }).editContext ?? undefined) !== undefined;
}
