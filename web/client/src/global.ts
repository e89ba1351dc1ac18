// The entry "eye-client/global": the type of the page's own `eye`, for pages joined by a script tag or the Vite plugin.

import type { Eye } from "./core/connect.js";

declare global {
  /** Set while the page has a client; not in production, if only the dev server adds it. */
  var eye: Eye | undefined;
}
