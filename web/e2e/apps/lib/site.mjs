// Serves the built host pages, and stores the state that each application reports.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
};
const REPORT_BYTES_MAX = 1 << 20;

export class CorpusSite {
  #server;
  #states = new Map();

  /** `routes` handle requests whose path begins with their name; all others are for files of the folder. */
  static async open(folder, routes = {}) {
    const site = new CorpusSite();
    site.#server = createServer((request, response) => void site.#serve(folder, routes, request, response));
    await new Promise((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    return site;
  }

  get url() {
    return `http://localhost:${this.#server.address().port}`;
  }

  /** The newest state that an application reported since the last `forget`. */
  state(name) {
    return this.#states.get(name)?.state;
  }

  forget(name) {
    this.#states.delete(name);
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(folder, routes, request, response) {
    const { pathname, searchParams } = new URL(request.url, "http://site");
    const route = Object.keys(routes).find((name) => pathname.startsWith(name));
    if (route !== undefined) return routes[route](request, response);
    const [, app] = /^\/store\/([\w-]+)$/.exec(pathname) ?? [];
    if (app !== undefined) return this.#take(app, Number(searchParams.get("report")), request, response);
    const file = join(folder, normalize(pathname));
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  }

  /** Reports may overtake each other; the one with the highest number is the newest. */
  async #take(app, report, request, response) {
    let text = "";
    for await (const bytes of request) {
      text += bytes;
      if (text.length > REPORT_BYTES_MAX) return response.writeHead(413).end();
    }
    if ((this.#states.get(app)?.report ?? 0) < report) this.#states.set(app, { report, state: JSON.parse(text) });
    response.writeHead(204).end();
  }
}
