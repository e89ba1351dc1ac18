// A scripted hub for tests: serves pages and eye.js, speaks the page's side of docs/wire.md, and waits for events only.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { web } from "../../harness/program.js";
import { WebSocketServer, type WebSocket } from "ws";

const CLIENT = join(web(), "client");

export interface Rpc {
  readonly id?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
}
export type Frame = string | Rpc;

export class Connection {
  readonly frames: Frame[] = [];
  readonly messages: number[] = [];
  hello: Rpc | undefined;
  closed = false;
  #next = 1;
  #waiters: (() => void)[] = [];

  constructor(
    readonly socket: WebSocket,
    readonly url: URL,
    lastRef?: number,
  ) {
    socket.on("message", (data: Buffer) => {
      const parsed = JSON.parse(data.toString()) as Frame[] | Rpc;
      if (!Array.isArray(parsed)) {
        this.hello = parsed;
        socket.send(
          JSON.stringify([
            {
              jsonrpc: "2.0",
              id: "hello",
              result: { sessionId: this.session, version: "1.0.0", hub: "test", lastRef },
            },
          ]),
        );
      } else {
        this.messages.push(parsed.length);
        this.frames.push(...parsed);
      }
      this.#wake();
    });
    socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
  }

  get session(): string {
    return this.url.searchParams.get("sessionId") ?? "";
  }

  send(...frames: Frame[]): void {
    this.socket.send(JSON.stringify(frames));
  }

  /** Waits for a frame that was or will be received; rejects if the page leaves before it. */
  async frame(matches: (frame: Frame) => boolean): Promise<Frame> {
    return this.until(() => this.frames.find(matches));
  }

  async until<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      if (this.closed) throw new Error("the page left");
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  async gone(): Promise<void> {
    while (!this.closed) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  async ask(code: string): Promise<string> {
    const id = String(this.#next++);
    this.send(`${id}:${code}`);
    return this.answer(id);
  }

  nextId(): string {
    return String(this.#next++);
  }

  async answer(id: string): Promise<string> {
    const prefix = new RegExp(`^${id}\\W`);
    const frame = await this.frame((one) => typeof one === "string" && prefix.test(one));
    return String(frame).slice(id.length);
  }

  notification(method: string): Promise<Rpc> {
    return this.frame((one) => typeof one !== "string" && one.method === method) as Promise<Rpc>;
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class Hub {
  readonly connections: Connection[] = [];
  readonly pages = new Map<string, string | Answer>();
  why: object = { allowed: true, reason: "", hint: "" };
  refuse = false;
  /** The session's highest ref, as sent in the welcome. */
  lastRef: number | undefined;
  port = 0;
  #server: Server | undefined;
  #sockets: WebSocketServer | undefined;
  #waiters: (() => void)[] = [];
  #handed = 0;

  async start(port = 0): Promise<this> {
    const server = createServer((request, response) => this.#serve(request, response));
    const sockets = new WebSocketServer({ noServer: true, maxPayload: 80 * 1024 * 1024 });
    server.on("upgrade", (request, socket, head) => {
      if (this.refuse) {
        socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
        return;
      }
      sockets.handleUpgrade(request, socket, head, (ws) => {
        this.connections.push(new Connection(ws, new URL(request.url ?? "/", "http://hub"), this.lastRef));
        const waiters = this.#waiters;
        this.#waiters = [];
        for (const waiter of waiters) waiter();
      });
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#sockets = sockets;
    return this;
  }

  get origin(): string {
    return `http://localhost:${String(this.port)}`;
  }

  /** The next connection that was not returned yet, after its hello. */
  async joined(): Promise<Connection> {
    for (;;) {
      const connection = this.connections[this.#handed];
      if (connection !== undefined) {
        this.#handed++;
        await connection.until(() => connection.hello);
        return connection;
      }
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  async stop(): Promise<void> {
    for (const { socket } of this.connections) socket.terminate();
    this.#sockets?.close();
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) =>
      this.#server === undefined ? resolve() : this.#server.close(() => resolve()),
    );
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? "/", "http://hub");
    const page = this.pages.get(pathname);
    response.setHeader("access-control-allow-origin", "*");
    if (typeof page === "function") {
      page(request, response);
    } else if (page !== undefined) {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(page);
    } else if (/\/(?:eye|index|eye\/\w+)\.js$/.test(pathname)) {
      response.setHeader("content-type", "text/javascript; charset=utf-8");
      response.end(readFileSync(join(CLIENT, "dist", basename(pathname))));
    } else if (pathname.endsWith("/why")) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(this.why));
    } else {
      response.statusCode = 404;
      response.end("no");
    }
  }
}

export function html(attributes = "", body = "", title = "Test"): string {
  return `<!doctype html><meta charset="utf-8"><title>${title}</title><script src="/eye.js" ${attributes}></script>${body}`;
}

export function testFile(name: string): string {
  return readFileSync(join(CLIENT, "test", name), "utf8");
}
