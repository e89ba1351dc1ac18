// Builds the console into dist/console/, which the hub serves at the root of console.localhost and nowhere else. After
// the apps' build, which empties dist/.

import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "../dist/console",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // It would set up its links by code that a strict policy need not allow.
    modulePreload: { polyfill: false },
  },
});
