// The socket loop: connects, says hello, hands messages to a page, and connects again. It decides nothing about calls.

import { RETRY_FIRST_MS, RETRY_HIDDEN_MS_MAX, RETRY_VISIBLE_MS_MAX } from "./limits.js";
import { Outbox } from "./outbox.js";
import { Page, type Surroundings } from "./page.js";

export const CLOSED_BAD_QUERY = 4000;
export const CLOSED_TAKEN = 4003;
export const CLOSED_FOREIGN = 4004;

export interface LinkEvents {
  /** The parameters of `hello`, asked for at the moment it is sent. */
  hello(): object;
  opened(page: Page): void;
  /** Whether to connect again. `opened` says whether this connection ever worked. */
  closed(code: number, reason: string, opened: boolean): boolean;
}

export class Link {
  readonly #hub: URL;
  readonly #around: Surroundings;
  readonly #events: LinkEvents;
  #session = "";
  #socket: WebSocket | undefined;
  #page: Page | undefined;
  #failures = 0;
  /** Grows with every attempt and every stop, so that a late timer finds itself out of date. */
  #generation = 0;
  #wanted = false;

  constructor(hub: URL, around: Surroundings, events: LinkEvents) {
    this.#hub = hub;
    this.#around = around;
    this.#events = events;
  }

  /** The page of the connection that works at this moment. */
  get page(): Page | undefined {
    return this.#page;
  }

  start(session: string): void {
    this.#session = session;
    this.#wanted = true;
    this.#failures = 0;
    this.#open();
  }

  stop(): void {
    this.#wanted = false;
    this.#generation++;
    const socket = this.#socket;
    this.#forget();
    socket?.close(1000);
  }

  /** Something changed that may make a connection possible. */
  readonly hurry = (): void => {
    if (!this.#wanted || this.#socket !== undefined) return;
    this.#failures = 0;
    this.#open();
  };

  #open(): void {
    this.#generation++;
    // A session id needs no escapes.
    const url = new URL(`ws?clientType=browser&sessionId=${this.#session}`, this.#hub);
    url.protocol = url.protocol.replace("http", "ws");
    let socket: WebSocket;
    try {
      socket = new WebSocket(url);
    } catch {
      this.#again(this.#events.closed(0, "", false));
      return;
    }
    this.#socket = socket;
    socket.onopen = () => {
      this.#failures = 0;
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: "hello", method: "hello", params: this.#events.hello() }));
      const send = (message: string | Blob): void => {
        if (socket.readyState === WebSocket.OPEN) socket.send(message);
      };
      // A tick of this clock is all the outbox needs, at a fifth of the cost of `performance.now`.
      const page = new Page(new Outbox(send, Date.now), this.#around);
      this.#page = page;
      socket.onmessage = ({ data }) => {
        if (typeof data === "string") page.receive(data);
      };
      this.#events.opened(page);
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.#socket) return;
      const opened = this.#page !== undefined;
      this.#forget();
      this.#again(this.#events.closed(code, reason, opened));
    };
  }

  #forget(): void {
    this.#page?.drop();
    this.#page = undefined;
    this.#socket = undefined;
  }

  #again(wanted: boolean): void {
    this.#wanted &&= wanted;
    if (!this.#wanted) return;
    const generation = this.#generation;
    const cap = document.hidden ? RETRY_HIDDEN_MS_MAX : RETRY_VISIBLE_MS_MAX;
    const wait = Math.min(cap, RETRY_FIRST_MS * 2 ** this.#failures++);
    // Pages that lost the same hub do not all come back at the same moment.
    this.#around.after(wait * (0.5 + Math.random() / 2), () => {
      if (generation === this.#generation && this.#wanted) this.#open();
    });
  }
}
