// Connects to the hub's TCP port with any headers: plain HTTP, and the WebSocket upgrade.

import { request } from "node:http";
import { WebSocket, type ClientOptions } from "ws";
import { within } from "../../harness/until.js";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export function get(port: number, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, headers: { host: `localhost:${String(port)}`, ...headers } },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (text: string) => (body += text));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

/** A WebSocket with its messages and its end. */
export class Line {
  readonly messages: string[] = [];
  readonly #closed: Promise<{ code: number; reason: string }>;
  readonly #waiters: (() => void)[] = [];

  constructor(readonly socket: WebSocket) {
    socket.on("message", (data: Buffer) => {
      this.messages.push(data.toString());
      for (const waiter of this.#waiters.splice(0)) waiter();
    });
    const closed = new Promise<{ code: number; reason: string }>((resolve) => {
      socket.on("close", (code, reason) => {
        resolve({ code, reason: reason.toString() });
        for (const waiter of this.#waiters.splice(0)) waiter();
      });
    });
    socket.on("error", () => undefined);
    this.#closed = closed;
  }

  /** How the hub closed it. */
  closed(): Promise<{ code: number; reason: string }> {
    return within("the hub closes the WebSocket", this.#closed);
  }

  /** The next message that this method has not returned yet. */
  async next(): Promise<string> {
    while (this.messages.length === 0) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error("the hub closed the WebSocket");
      await within("a message of the hub", new Promise<void>((resolve) => this.#waiters.push(resolve)));
    }
    return this.messages.shift() ?? "";
  }
}

/** Opens a WebSocket, or returns the refusal. */
export function upgrade(port: number, path: string, headers: Record<string, string> = {}): Promise<Line | Reply> {
  const options: ClientOptions = { headers: { host: `localhost:${String(port)}`, ...headers }, maxPayload: 0 };
  return new Promise((resolve, reject) => {
    // As our own clients do; a client that sets its side without the subprotocol speaks only JSON-RPC.
    const protocols = path.includes("clientType=") && !path.includes("version=") ? ["eye"] : [];
    const socket = new WebSocket(`ws://127.0.0.1:${String(port)}${path}`, protocols, options);
    const line = new Line(socket);
    socket.on("open", () => resolve(line));
    socket.on("unexpected-response", (_, response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    socket.on("error", reject);
  });
}

export async function opened(port: number, path: string, headers: Record<string, string> = {}): Promise<Line> {
  const line = await upgrade(port, path, headers);
  if (!(line instanceof Line)) throw new Error(`refused with ${String(line.status)}: ${line.body}`);
  return line;
}

export async function refused(port: number, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const reply = await upgrade(port, path, headers);
  if (reply instanceof Line) {
    reply.socket.terminate();
    throw new Error("was let in");
  }
  return reply;
}
