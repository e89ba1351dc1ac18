// Builds every app as the hub serves it under /apps/. A folder with an index.html is an app, and may have further
// pages. The console has its own build; `build.mjs` says where both go.

import { existsSync, readdirSync } from "node:fs";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const apps = readdirSync(here).filter(
  (name) => existsSync(`${here}/${name}/index.html`) && name !== "dist" && name !== "console",
);
const pages = apps.flatMap((app) =>
  readdirSync(`${here}/${app}`)
    .filter((name) => name.endsWith(".html"))
    .map((name) => `${app}/${name}`),
);

export default defineConfig({
  root: here,
  base: "/apps/",
  build: {
    target: "es2022",
    rollupOptions: {
      input: Object.fromEntries(pages.map((page) => [page.replace(/(\/index)?\.html$/, ""), `${here}/${page}`])),
    },
  },
});
