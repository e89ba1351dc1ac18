// What crosses a tab's WebSocket, seen from the browser. The hub's signs of life are left out: they come when they come.

import type { Page } from "playwright-core";

export interface Crossed {
  readonly from: "hub" | "page";
  readonly text: string;
}

const LIFE = /"method":"ping"|"pong":true/;

export class Traffic {
  readonly #crossed: Crossed[] = [];

  /** Sees the sockets that the page opens from now on. */
  constructor(page: Page) {
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => this.#note("hub", payload));
      socket.on("framesent", ({ payload }) => this.#note("page", payload));
    });
  }

  get length(): number {
    return this.#crossed.length;
  }

  since(length: number): readonly Crossed[] {
    return this.#crossed.slice(length);
  }

  #note(from: "hub" | "page", payload: string | Buffer): void {
    const text = payload.toString();
    if (!LIFE.test(text)) this.#crossed.push({ from, text });
  }
}
