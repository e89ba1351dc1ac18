// Starts the application as a new project of Vite and React does.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.js";

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has the root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
