// A scripted server for the programs' clients: a WebSocket, or SSE and POST; the test controls every message.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { within } from "../../harness/until.js";

export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A connected client. */
export class Guest {
  readonly messages: Message[] = [];
  #waiters: (() => void)[] = [];

  constructor(
    readonly url: URL,
    readonly headers: IncomingMessage["headers"],
    readonly write: (message: object, event?: string) => void,
    readonly close: (code: number, reason: string) => void,
  ) {}

  hear(message: Message): void {
    this.messages.push(message);
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  /** A message that was or will be received; each is returned once. */
  async next(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const at = this.messages.findIndex(fits);
      if (at >= 0) return this.messages.splice(at, 1)[0] ?? {};
      await within("a message of the client", new Promise<void>((resolve) => this.#waiters.push(resolve)));
    }
  }

  method(name: string): Promise<Message> {
    return this.next(({ method }) => method === name);
  }

  async ask(id: string, method: string, params?: object): Promise<Message> {
    this.write({ jsonrpc: "2.0", id, method, params }, "request");
    return this.next((message) => message.id === id);
  }

  answer({ id }: Message, result: unknown): void {
    this.write({ jsonrpc: "2.0", id, result }, "response");
  }
}

export class ScriptedServer {
  /** The first message to every client; `undefined` sends none. */
  welcome: object | undefined = {
    jsonrpc: "2.0",
    id: "welcome",
    result: { sessionId: "made-here", message: "Connected to BTCP server" },
  };
  /** Answers requests automatically, so that a test sees only the messages it needs. */
  readonly answers = new Map<string, unknown>();
  readonly guests: Guest[] = [];
  /** The session that each POST named. */
  readonly posted: (string | undefined)[] = [];
  #handed = 0;
  #waiters: (() => void)[] = [];
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has("eye") ? "eye" : false),
  });

  private constructor() {
    this.#server = createServer((request, response) => this.#serve(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (ws) => {
        const write = (message: object): void => ws.send(JSON.stringify(message));
        const guest = new Guest(new URL(request.url ?? "/", "http://server"), request.headers, write, (code, reason) =>
          ws.close(code, reason),
        );
        ws.on("message", (data: Buffer) => {
          const answer = this.#hear(guest, data.toString());
          if (answer !== undefined) write(answer);
        });
        this.#came(guest);
      });
    });
  }

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get address(): string {
    return `ws://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** The next client that was not returned yet. */
  async guest(): Promise<Guest> {
    for (;;) {
      const guest = this.guests[this.#handed];
      if (guest !== undefined) {
        this.#handed++;
        return guest;
      }
      await within("a client", new Promise<void>((resolve) => this.#waiters.push(resolve)));
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #came(guest: Guest): void {
    this.guests.push(guest);
    if (this.welcome !== undefined) guest.write(this.welcome, "message");
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  #hear(guest: Guest, text: string): Message | undefined {
    const message = JSON.parse(text) as Message;
    if (message.method !== undefined && message.id !== undefined && this.answers.has(message.method)) {
      return { jsonrpc: "2.0", id: message.id, result: this.answers.get(message.method) };
    }
    guest.hear(message);
    return undefined;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://server");
    if (url.pathname === "/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": connected\n\n");
      const write = (message: object, event = "message"): void =>
        void response.write(`event: ${event}\ndata: ${JSON.stringify(message)}\n\n`);
      this.#came(new Guest(url, request.headers, write, () => response.end()));
    } else if (url.pathname === "/message") {
      let body = "";
      request.on("data", (text: Buffer) => (body += text.toString()));
      request.on("end", () => {
        const session = request.headers["x-session-id"];
        this.posted.push(typeof session === "string" ? session : undefined);
        const guest = this.guests.at(-1);
        const answer = guest === undefined ? undefined : this.#hear(guest, body);
        response.writeHead(answer === undefined ? 202 : 200, { "content-type": "application/json" });
        response.end(answer === undefined ? "" : JSON.stringify(answer));
      });
    } else {
      response.writeHead(404).end("no");
    }
  }
}
