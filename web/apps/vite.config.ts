// Builds every app into dist/, as the hub serves it under /apps/. A folder with an index.html is an app.

import { existsSync, readdirSync } from "node:fs";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const apps = readdirSync(here).filter((name) => existsSync(`${here}/${name}/index.html`) && name !== "dist");

export default defineConfig({
  root: here,
  base: "/apps/",
  build: {
    target: "es2022",
    rollupOptions: { input: Object.fromEntries(apps.map((name) => [name, `${here}/${name}/index.html`])) },
  },
});
