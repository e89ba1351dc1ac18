// TipTap with its starter kit and a few buttons, as its documentation begins.

import { EditorContent, useEditor } from "@tiptap/react";
import StarterKit from "@tiptap/starter-kit";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

function Minutes(): ReactNode {
  const editor = useEditor({
    extensions: [StarterKit],
    content: "<p>Draft of the minutes</p>",
    editorProps: { attributes: { "aria-label": "Minutes" } },
    onUpdate: ({ editor: one }) => report("tiptap", one.getJSON()),
  });
  return (
    <>
      <h1>Minutes</h1>
      <button type="button" onClick={() => editor?.chain().focus().toggleBold().run()}>
        Bold
      </button>
      <button type="button" onClick={() => editor?.chain().focus().undo().run()}>
        Undo
      </button>
      <EditorContent editor={editor} />
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Minutes />);
