// Monaco on a small program, without workers: highlighting and editing are all that the task needs.

import * as monaco from "monaco-editor";
import { report } from "./store";

const root = document.getElementById("root") as HTMLElement;
root.innerHTML = "<h1>Script</h1><div id='editor' style='height: 320px; border: 1px solid #999'></div>";
const value = "const total = prices.reduce((sum, one) => sum + one, 0);\nconsole.log(total);\n";
const host = document.getElementById("editor") as HTMLElement;
const editor = monaco.editor.create(host, {
  value,
  language: "plaintext",
  ariaLabel: "Script",
  minimap: { enabled: false },
});
editor.onDidChangeModelContent(() => report("monaco", { text: editor.getValue() }));
