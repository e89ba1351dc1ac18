// Builds the console, which the hub serves only at the root of console.localhost. `../build.mjs` says where it goes.

import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // The polyfill would run code that a strict policy need not allow.
    modulePreload: { polyfill: false },
  },
});
