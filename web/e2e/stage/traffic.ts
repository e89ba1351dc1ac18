// What crosses a tab's WebSocket, seen from the browser. The hub's signs of life are left out: they come when they
// come.

import type { Page } from "playwright-core";

export interface Crossed {
  readonly from: "hub" | "page";
  readonly text: string;
}

const LIFE = /"method":"ping"|"pong":true/;

export class Traffic {
  readonly #crossed: Crossed[] = [];

  /** Sees the sockets that the page opens from now on. */
  constructor(readonly page: Page) {
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => this.#note("hub", payload));
      socket.on("framesent", ({ payload }) => this.#note("page", payload));
    });
  }

  /** This moment, for `since`. */
  async mark(): Promise<number> {
    await this.#caughtUp();
    return this.#crossed.length;
  }

  async since(mark: number): Promise<readonly Crossed[]> {
    await this.#caughtUp();
    return this.#crossed.slice(mark);
  }

  /** The page tells of its frames and answers us on one line, in order. */
  async #caughtUp(): Promise<void> {
    await this.page.evaluate(() => undefined);
  }

  #note(from: "hub" | "page", payload: string | Buffer): void {
    const text = payload.toString();
    if (!LIFE.test(text)) this.#crossed.push({ from, text });
  }
}
