// Quill with its snow theme and the toolbar of its documentation.

import Quill from "quill";
import "quill/dist/quill.snow.css";
import { report } from "./store";

const root = document.getElementById("root") as HTMLElement;
root.innerHTML = "<h1>Letter</h1><div id='editor'><p>Dear Sir</p></div>";
const toolbar = [
  [{ header: [1, 2, false] }],
  ["bold", "italic", "underline"],
  [{ list: "ordered" }, { list: "bullet" }],
];
const quill = new Quill("#editor", { theme: "snow", modules: { toolbar } });
quill.root.setAttribute("aria-label", "Letter");
quill.on("text-change", () => report("quill", quill.getContents().ops));
