// The tools that return where this scene can be opened: the original's, under its seven names.

import { define, type SceneTool } from "./define.js";

const NAMES = [
  "get_browser_connection_url",
  "hello_3d_app",
  "get_3d_app",
  "open_3d_app",
  "connect_3d_app",
  "launch_3d_visualization",
  "get_3d_visualization_url",
] as const;

export const CONNECTION_TOOLS: readonly SceneTool[] = NAMES.map((name, at) =>
  define({
    name,
    description:
      at === 0
        ? "Get the URL that opens this scene in a browser, under this session"
        : `Get the URL that opens this scene in a browser; another name of ${NAMES[0]}`,
    parameters: {},
    reads: true,
    run(_, __, around) {
      const url = `${around.url()}?sessionId=${encodeURIComponent(around.session())}`;
      const text = `To connect your browser to the 3D visualization app, open this URL:\n\n${url}\n\nCopy and paste this URL into your web browser to begin interacting with the 3D scene.`;
      return { text, value: { url } };
    },
  }),
);
