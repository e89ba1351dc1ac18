// A small web server with the pages of a test. Every page loads eye.js from the hub unless it says otherwise.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createProxyMiddleware, type RequestHandler } from "http-proxy-middleware";

export interface Document {
  readonly title?: string;
  readonly head?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Attributes of the script tag; `false` omits the tag. */
  readonly tag?: string | false;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The path under which a site proxies the hub, as docs/join.md says. */
const HUB_PATH = "/__eye";

export class Site {
  readonly #handlers = new Map<string, Handler>();
  readonly #server: Server;
  readonly #scheme: "http" | "https";
  readonly #proxy: RequestHandler;
  #port = 0;

  private constructor(
    readonly hub: string,
    certificate: Certificate | undefined,
  ) {
    this.#proxy = createProxyMiddleware({
      target: hub,
      pathFilter: HUB_PATH,
      pathRewrite: { [`^${HUB_PATH}`]: "" },
      secure: false,
    });
    const serve: RequestListener = (request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://site");
      const handler = this.#handlers.get(pathname);
      if (pathname.startsWith(`${HUB_PATH}/`)) void this.#proxy(request, response);
      else if (handler === undefined) response.writeHead(404).end("no such page");
      else handler(request, response);
    };
    this.#scheme = certificate === undefined ? "http" : "https";
    this.#server = certificate === undefined ? createServer(serve) : createSecureServer({ ...certificate }, serve);
    this.#server.on("upgrade", (request, socket, head) => this.#proxy.upgrade(request, socket as Socket, head));
  }

  static async open(hub: string, certificate?: Certificate): Promise<Site> {
    const site = new Site(hub, certificate);
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    site.#port = (site.#server.address() as AddressInfo).port;
    return site;
  }

  url(path: string, host = "localhost"): string {
    return `${this.#scheme}://${host}:${String(this.#port)}${path}`;
  }

  page(path: string, document: Document = {}): void {
    this.serve(path, (_, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...document.headers });
      response.end(this.#html(path, document));
    });
  }

  serve(path: string, handler: Handler): void {
    this.#handlers.set(path, handler);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #html(path: string, { title = path, head = "", body = "", tag = "" }: Document): string {
    const script = tag === false ? "" : `<script src="${this.hub}/eye.js" ${tag}></script>`;
    return `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}${script}</head><body>${body}</body></html>`;
  }
}
