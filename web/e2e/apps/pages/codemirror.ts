// CodeMirror 6 with its basic setup, on a small program.

import { basicSetup, EditorView } from "codemirror";
import { report } from "./store";

const doc = "function greet(name) {\n  return 'Hello, ' + name;\n}\n";
const tell = (view: EditorView): void => report("codemirror", { text: view.state.doc.toString() });
const listen = EditorView.updateListener.of(({ docChanged, view }) => {
  if (docChanged) tell(view);
});
const root = document.getElementById("root") as HTMLElement;
root.innerHTML = "<h1>Notes</h1>";
tell(
  new EditorView({
    doc,
    extensions: [basicSetup, EditorView.contentAttributes.of({ "aria-label": "Program" }), listen],
    parent: root,
  }),
);
