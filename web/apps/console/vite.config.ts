// Builds the console into dist/console/, which the hub serves only at the root of console.localhost. Runs after the
// apps' build, because that empties dist/.

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
    // The polyfill would run code that a strict policy need not allow.
    modulePreload: { polyfill: false },
  },
});
