// Builds the host pages around the libraries: every page of pages/ that CORPUS_PAGES names, as one multi-page site.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const pages = join(import.meta.dirname, "pages");
const wanted = process.env.CORPUS_PAGES?.split(",");
const names = readdirSync(pages).filter((name) => name.endsWith(".html"));
const input = names.filter((name) => wanted === undefined || wanted.includes(name)).map((name) => join(pages, name));

export default defineConfig({
  root: pages,
  base: "./",
  logLevel: "error",
  build: {
    outDir: process.env.CORPUS_OUT,
    emptyOutDir: true,
    minify: false,
    target: "es2022",
    chunkSizeWarningLimit: 20_000,
    reportCompressedSize: false,
    rollupOptions: { input },
  },
});
