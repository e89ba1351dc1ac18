// Lexical with rich text and lists, as its React plugins set it up.

import { INSERT_UNORDERED_LIST_COMMAND, ListItemNode, ListNode } from "@lexical/list";
import { LexicalComposer } from "@lexical/react/LexicalComposer";
import { useLexicalComposerContext } from "@lexical/react/LexicalComposerContext";
import { ContentEditable } from "@lexical/react/LexicalContentEditable";
import { LexicalErrorBoundary } from "@lexical/react/LexicalErrorBoundary";
import { HistoryPlugin } from "@lexical/react/LexicalHistoryPlugin";
import { ListPlugin } from "@lexical/react/LexicalListPlugin";
import { OnChangePlugin } from "@lexical/react/LexicalOnChangePlugin";
import { RichTextPlugin } from "@lexical/react/LexicalRichTextPlugin";
import { FORMAT_TEXT_COMMAND } from "lexical";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

function Toolbar(): ReactNode {
  const [editor] = useLexicalComposerContext();
  return (
    <p>
      <button type="button" onClick={() => editor.dispatchCommand(FORMAT_TEXT_COMMAND, "bold")}>
        Bold
      </button>
      <button type="button" onClick={() => editor.dispatchCommand(INSERT_UNORDERED_LIST_COMMAND, undefined)}>
        List
      </button>
    </p>
  );
}

const config = {
  namespace: "journal",
  nodes: [ListNode, ListItemNode],
  onError: (error: Error) => console.error(error),
};
createRoot(document.getElementById("root") as HTMLElement).render(
  <LexicalComposer initialConfig={config}>
    <h1>Journal</h1>
    <Toolbar />
    <RichTextPlugin
      contentEditable={<ContentEditable aria-label="Entry" style={{ minHeight: 120, border: "1px solid #999" }} />}
      ErrorBoundary={LexicalErrorBoundary}
    />
    <HistoryPlugin />
    <ListPlugin />
    <OnChangePlugin onChange={(state) => report("lexical", state.toJSON().root)} />
  </LexicalComposer>,
);
