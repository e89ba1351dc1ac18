// The code editor line: CodeMirror in a shadow root, where its styles do not violate the page's policy.

import {
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const PATH = /(?:[\w$]+\.)*[\w$]*$/;
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)" },
  { tag: [tags.string, tags.regexp], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
]);

export interface Repl {
  /** Evaluates the code. The caller shows the result. */
  readonly run: (code: string) => void;
  /** The property names of an object in the page. */
  readonly names: (object: string) => Promise<readonly string[]>;
}

export function openRepl(place: HTMLElement, { run, names }: Repl): EditorView {
  const root = place.attachShadow({ mode: "open" });
  const past: string[] = [];
  let at = 0;
  const show = (view: EditorView, text: string): boolean => {
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
    return true;
  };
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const path = context.matchBefore(PATH)?.text ?? "";
    const dot = path.lastIndexOf(".");
    if (!context.explicit && dot < 0 && path.length < 2) return null;
    const options = await names(dot < 0 ? "globalThis" : path.slice(0, dot));
    return { from: context.pos - (path.length - dot - 1), options: options.map((label) => ({ label })) };
  };
  const enter = (view: EditorView): boolean => {
    const code = view.state.doc.toString().trim();
    if (code === "") return true;
    past.push(code);
    at = past.length;
    run(code);
    return show(view, "");
  };
  const older = (view: EditorView): boolean => {
    if (view.state.doc.lines > 1 || at === 0) return false;
    at -= 1;
    return show(view, past[at] ?? "");
  };
  const newer = (view: EditorView): boolean => {
    if (view.state.doc.lines > 1 || at >= past.length) return false;
    at += 1;
    return show(view, past[at] ?? "");
  };
  const own = [
    { key: "Enter", run: enter },
    { key: "ArrowUp", run: older },
    { key: "ArrowDown", run: newer },
  ];
  return new EditorView({
    root,
    parent: root,
    extensions: [
      keymap.of(completionKeymap),
      keymap.of([...own, ...historyKeymap, ...defaultKeymap]),
      history(),
      javascript(),
      autocompletion({ override: [complete] }),
      syntaxHighlighting(colours),
      EditorView.contentAttributes.of({ "aria-label": "Code to evaluate in the page" }),
      EditorView.theme({
        "&": { font: "13px/1.5 ui-monospace, monospace", color: "var(--ink)" },
        "&.cm-focused": { outline: "2px solid var(--accent)" },
        ".cm-content": { caretColor: "var(--accent)", padding: "8px" },
        ".cm-tooltip": { background: "var(--card)", border: "1px solid var(--line)", color: "var(--ink)" },
        ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
      }),
    ],
  });
}
