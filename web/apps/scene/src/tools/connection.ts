// The tool that says where this scene can be opened.

import { define } from "./define.js";

export const CONNECTION_URL = define({
  name: "get_browser_connection_url",
  description: "Get the URL that opens this scene in a browser, under this session",
  parameters: {},
  reads: true,
  run(_, __, around) {
    const url = `${around.url()}?sessionId=${encodeURIComponent(around.session())}`;
    const text = `To connect your browser to the 3D visualization app, open this URL:\n\n${url}\n\nCopy and paste this URL into your web browser to begin interacting with the 3D scene.`;
    return { text, value: { url } };
  },
});
