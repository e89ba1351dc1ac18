// Types into rich editors: `contenteditable` elements, and those with an EditContext, such as Monaco. Events come in
// the browser's order: `beforeinput` first, which editors handle themselves, then the change.

import { isEditable } from "../look/kind.js";
import { viewOf } from "./pointer.js";

interface EditContextLike extends EventTarget {
  readonly text: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
  updateText(start: number, end: number, text: string): void;
  updateSelection(start: number, end: number): void;
}

const COMMANDS: Readonly<Record<string, string>> = {
  insertText: "insertText",
  insertParagraph: "insertParagraph",
  deleteContentBackward: "delete",
  deleteContentForward: "forwardDelete",
};

export function contextOf(element: Element): EditContextLike | undefined {
  return (element as { editContext?: EditContextLike | null }).editContext ?? undefined;
}

export function isEditor(element: Element): boolean {
  return isEditable(element) || contextOf(element) !== undefined;
}

/** One step of typing, at the caret or replacing the selection. */
export function editorInput(element: Element, inputType: string, data: string | null): void {
  const view = viewOf(element);
  const init = { bubbles: true, composed: true, cancelable: true, inputType, data };
  if (!element.dispatchEvent(new view.InputEvent("beforeinput", init))) return;
  const context = contextOf(element);
  if (context !== undefined) updateContext(context, inputType, data ?? "", view);
  else element.ownerDocument.execCommand(COMMANDS[inputType] ?? inputType, false, data ?? "");
}

/** A browser first changes the text of an EditContext, then sends the event. */
function updateContext(context: EditContextLike, inputType: string, text: string, view: Window): void {
  if (inputType !== "insertText") return;
  const { selectionStart, selectionEnd } = context;
  const [start, end] = [Math.min(selectionStart, selectionEnd), Math.max(selectionStart, selectionEnd)];
  const caret = start + text.length;
  context.updateText(start, end, text);
  context.updateSelection(caret, caret);
  const { TextUpdateEvent } = view as unknown as { TextUpdateEvent: new (type: string, init: object) => Event };
  const update = { text, updateRangeStart: start, updateRangeEnd: end, selectionStart: caret, selectionEnd: caret };
  context.dispatchEvent(new TextUpdateEvent("textupdate", update));
}

/** Replaces the selection with a text of several lines, by a paste. Returns whether the editor handled it. */
export function pasted(element: Element, text: string): boolean {
  const view = viewOf(element);
  const clipboardData = new view.DataTransfer();
  clipboardData.setData("text/plain", text);
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
  return !element.dispatchEvent(new view.ClipboardEvent("paste", init));
}

/** Moves or extends the selection as the arrow keys do. */
export function moveCaret(element: Element, key: string, extend: boolean, far: boolean): void {
  const selection = element.ownerDocument.getSelection();
  const way = /^(?:ArrowLeft|ArrowUp|Home|PageUp)$/.test(key) ? "backward" : "forward";
  const unit = /^Arrow(?:Left|Right)$/.test(key)
    ? far
      ? "word"
      : "character"
    : /^(?:Home|End)$/.test(key)
      ? far
        ? "documentboundary"
        : "lineboundary"
      : "line";
  selection?.modify(extend ? "extend" : "move", way, unit);
}

/** Whether the caret is already in the element, so that typing continues there. */
export function holdsCaret(element: Element): boolean {
  const anchor = element.ownerDocument.getSelection()?.anchorNode;
  return element.ownerDocument.activeElement === element && anchor != null && element.contains(anchor);
}
