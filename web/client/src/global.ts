// "eye-client/global": the type of the page's own `eye`, for pages that a script tag or the Vite plugin has joined.

import type { Eye } from "./core/connect.js";

declare global {
  /** There while the page has a client; not in production, if only the dev server adds it. */
  var eye: Eye | undefined;
}
