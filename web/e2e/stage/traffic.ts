// The messages on a tab's WebSocket, seen from the browser. The hub's pings are left out, because their times vary.

import type { Page } from "playwright-core";

export interface Crossed {
  readonly from: "hub" | "page";
  readonly text: string;
}

const LIFE = /"method":"ping"|"pong":true/;

export class Traffic {
  readonly #crossed: Crossed[] = [];

  /** Records the sockets that the page opens from now on. */
  constructor(readonly page: Page) {
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => this.#note("hub", payload));
      socket.on("framesent", ({ payload }) => this.#note("page", payload));
    });
  }

  /** The current position, for `since`. */
  async mark(): Promise<number> {
    await this.#caughtUp();
    return this.#crossed.length;
  }

  async since(mark: number): Promise<readonly Crossed[]> {
    await this.#caughtUp();
    return this.#crossed.slice(mark);
  }

  /** The page reports its frames and answers us over one connection, in order. */
  async #caughtUp(): Promise<void> {
    await this.page.evaluate(() => undefined);
  }

  #note(from: "hub" | "page", payload: string | Buffer): void {
    const text = payload.toString();
    if (!LIFE.test(text)) this.#crossed.push({ from, text });
  }
}
