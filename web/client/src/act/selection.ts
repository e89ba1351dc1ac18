// The caret and the selection after a synthetic press.

interface Point {
  readonly x: number;
  readonly y: number;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

function isField(element: Element): element is Field {
  return element.localName === "input" || element.localName === "textarea";
}

interface Carets {
  caretPositionFromPoint?(x: number, y: number): { readonly offsetNode: Node; readonly offset: number } | null;
  caretRangeFromPoint?(x: number, y: number): Range | null;
}

/** The position in the text nearest to a point. */
function caretFrom(document: Document, { x, y }: Point): { node: Node; offset: number } | undefined {
  const carets = document as unknown as Carets;
  const position = carets.caretPositionFromPoint?.(x, y);
  if (position) return { node: position.offsetNode, offset: position.offset };
  const range = carets.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** Puts the caret at the pressed point, or extends the selection to it. */
export function caretAt(hit: Element, point: Point, extend: boolean): void {
  const { ownerDocument } = hit;
  const caret = caretFrom(ownerDocument, point);
  if (isField(hit)) {
    if (caret?.node !== hit || hit.selectionStart === null) return;
    if (extend)
      hit.setSelectionRange(Math.min(hit.selectionStart, caret.offset), Math.max(hit.selectionStart, caret.offset));
    else hit.setSelectionRange(caret.offset, caret.offset);
    return;
  }
  if (hit.matches("button,select,summary,a[href]") || getComputedStyle(hit).userSelect === "none") return;
  const selection = ownerDocument.getSelection();
  if (selection === null || caret === undefined || !hit.contains(caret.node)) return;
  if (extend && selection.anchorNode !== null) selection.extend(caret.node, caret.offset);
  else selection.collapse(caret.node, caret.offset);
}

/** A double click selects the word. */
export function selectWordAt(hit: Element, point: Point): void {
  if (isField(hit)) {
    const { value, selectionStart } = hit;
    if (selectionStart === null) return;
    const start = value.slice(0, selectionStart).search(/[\p{L}\p{N}_]*$/u);
    const end = selectionStart + (/^[\p{L}\p{N}_]*/u.exec(value.slice(selectionStart))?.[0].length ?? 0);
    hit.setSelectionRange(start, end);
    return;
  }
  caretAt(hit, point, false);
  const selection = hit.ownerDocument.getSelection();
  if (selection?.anchorNode == null || !hit.contains(selection.anchorNode)) return;
  selection.modify("move", "backward", "word");
  selection.modify("extend", "forward", "word");
}
