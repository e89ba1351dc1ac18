// A real server in place of the geometry app's backends, controlled by a test: answers, stays silent, sends nonsense,
// hangs up.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { within } from "../../harness/until.js";

export type ReceivedMessage = Readonly<Record<string, unknown>> & { readonly requestId: string };

/** How it handles WebSocket messages and HTTP requests. */
export interface Manners {
  /** `false` keeps the upgrade waiting forever. */
  readonly accepts?: boolean;
  message?(message: ReceivedMessage, socket: WebSocket): void;
  request?(body: string, response: ServerResponse): void;
}

export class FaultyServer {
  manners: Manners = {};
  readonly #received: ReceivedMessage[] = [];
  readonly #waiters = new Set<() => void>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #closed: number[] = [];

  private constructor() {
    const upgrades = new WebSocketServer({ noServer: true });
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => undefined);
      if (this.manners.accepts === false) {
        this.#note();
        return;
      }
      upgrades.handleUpgrade(request, socket, head, (line) => {
        line.on("message", (data: Buffer) => {
          const message = JSON.parse(data.toString()) as ReceivedMessage;
          this.#received.push(message);
          this.#note();
          this.manners.message?.(message, line);
        });
        line.on("close", (code) => {
          this.#closed.push(code);
          this.#note();
        });
      });
    });
  }

  static async open(): Promise<FaultyServer> {
    const server = new FaultyServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** The first received or future message that matches. */
  async receive(wanted: (message: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    for (;;) {
      const found = this.#received.find(wanted);
      if (found !== undefined) return found;
      await this.#news("a message that fits");
    }
  }

  /** Waits until a socket was closed. */
  async hungUp(): Promise<void> {
    while (this.#closed.length === 0) await this.#news("a socket is closed");
  }

  forget(): void {
    this.#received.length = 0;
    this.#closed.length = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "content-type");
    if (request.method === "OPTIONS") {
      response.end();
      return;
    }
    let body = "";
    for await (const part of request) body += String(part);
    this.#received.push({ requestId: "", body });
    this.#note();
    if (this.manners.request === undefined) response.writeHead(404).end();
    else this.manners.request(body, response);
  }

  #note(): void {
    for (const waiter of this.#waiters) waiter();
    this.#waiters.clear();
  }

  #news(what: string): Promise<void> {
    return within(what, new Promise<void>((resolve) => this.#waiters.add(resolve)), 30_000);
  }
}
