// Excalidraw, whole, with its own toolbar and canvas.

import { Excalidraw } from "@excalidraw/excalidraw";
import "@excalidraw/excalidraw/index.css";
import { createRoot } from "react-dom/client";
import { report } from "./store";

let last = "";
createRoot(document.getElementById("root") as HTMLElement).render(
  <div style={{ height: 700 }}>
    <Excalidraw
      onChange={(elements) => {
        const shapes = elements.filter(({ isDeleted }) => !isDeleted);
        const state = shapes.map((one) => ({
          type: one.type,
          text: one.type === "text" ? one.text : undefined,
          width: one.width,
        }));
        if (JSON.stringify(state) !== last) report("excalidraw", state);
        last = JSON.stringify(state);
      }}
    />
  </div>,
);
