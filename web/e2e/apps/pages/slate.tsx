// Slate with its history, one mark and one kind of block, as its documentation sets it up.

import { useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { createEditor, Editor, type Descendant } from "slate";
import { withHistory } from "slate-history";
import { Editable, Slate, withReact } from "slate-react";
import { report } from "./store";

const START = [{ type: "paragraph", children: [{ text: "Agenda" }] }] as Descendant[];

function Minutes(): ReactNode {
  const [editor] = useState(() => withHistory(withReact(createEditor())));
  return (
    <Slate editor={editor} initialValue={START} onChange={(value) => report("slate", value)}>
      <h1>Minutes</h1>
      <button
        type="button"
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => Editor.addMark(editor, "bold", true)}
      >
        Bold
      </button>
      <Editable
        aria-label="Minutes"
        style={{ minHeight: 120, border: "1px solid #999" }}
        renderLeaf={({ attributes, children, leaf }) => (
          <span {...attributes} style={{ fontWeight: "bold" in leaf ? "bold" : undefined }}>
            {children}
          </span>
        )}
      />
    </Slate>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Minutes />);
