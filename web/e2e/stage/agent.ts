// An agent on the hub's Unix socket, in plain line frames.

import { connect, type Socket } from "node:net";

interface Waiter {
  readonly wanted: (frame: string) => boolean;
  readonly found: (frame: string) => void;
  readonly failed: (error: Error) => void;
}

export class Agent {
  readonly frames: string[] = [];
  readonly #waiters = new Set<Waiter>();
  #rest = "";
  #ended = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => this.#hear(text));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#ended = true;
      for (const { failed } of this.#waiters) failed(new Error("the hub closed the socket"));
    });
  }

  static connect(path: string): Promise<Agent> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      socket.once("error", reject);
      socket.once("connect", () => resolve(new Agent(socket)));
    });
  }

  send(...frames: readonly string[]): void {
    this.socket.write(frames.map((frame) => `${frame}\n`).join(""));
  }

  /** The first frame that was or will be received and fits. */
  frame(wanted: (frame: string) => boolean): Promise<string> {
    const there = this.frames.find(wanted);
    if (there !== undefined) return Promise.resolve(there);
    if (this.#ended) return Promise.reject(new Error("the hub closed the socket"));
    return new Promise((found, failed) => this.#waiters.add({ wanted, found, failed }));
  }

  /** Asks and returns the whole answering frame. */
  ask(id: string, code: string): Promise<string> {
    this.send(`${id}:${code}`);
    return this.frame((frame) => frame.startsWith(`${id}:`) || frame.startsWith(`${id}!`));
  }

  /** Waits until the hub has closed the connection. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#ended) resolve();
      else this.socket.once("close", () => resolve());
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #hear(text: string): void {
    const frames = (this.#rest + text).split("\n");
    this.#rest = frames.pop() ?? "";
    for (const frame of frames) {
      this.frames.push(frame);
      for (const waiter of this.#waiters) {
        if (!waiter.wanted(frame)) continue;
        this.#waiters.delete(waiter);
        waiter.found(frame);
      }
    }
  }
}
