// An agent on the hub's Unix socket, in plain line frames.

import { connect, type Socket } from "node:net";
import { within } from "../../harness/until.js";

const NEWLINE = 0x0a;

interface Waiter {
  readonly wanted: (frame: string) => boolean;
  readonly found: (frame: string) => void;
  readonly failed: (error: Error) => void;
}

export class Agent {
  readonly frames: string[] = [];
  readonly #waiters = new Set<Waiter>();
  #rest: Buffer = Buffer.alloc(0);
  #ended = false;

  private constructor(readonly socket: Socket) {
    // Lets a test end that failed before it closed its agents.
    socket.unref();
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
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

  /** The first received or future frame that matches. */
  frame(wanted: (frame: string) => boolean): Promise<string> {
    const there = this.frames.find(wanted);
    if (there !== undefined) return Promise.resolve(there);
    if (this.#ended) return Promise.reject(new Error("the hub closed the socket"));
    const found = new Promise<string>((found, failed) => this.#waiters.add({ wanted, found, failed }));
    return within("a frame that fits", found).catch((error: unknown) => {
      throw new Error(`${String(error)}; received: ${this.frames.map((frame) => frame.slice(0, 200)).join(" | ")}`);
    });
  }

  /** Sends a request and returns the whole frame of its answer. */
  ask(id: string, code: string): Promise<string> {
    this.send(`${id}:${code}`);
    return this.frame((frame) => frame.startsWith(`${id}:`) || frame.startsWith(`${id}!`));
  }

  /** Waits until the hub has closed the connection. */
  ended(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#ended) resolve();
      else this.socket.once("close", () => resolve());
    });
    return within("the hub closes the socket", closed);
  }

  close(): void {
    this.socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) {
      this.frames.push(frame);
      for (const waiter of this.#waiters) {
        if (!waiter.wanted(frame)) continue;
        this.#waiters.delete(waiter);
        waiter.found(frame);
      }
    }
  }

  /** A frame is a line, or `#<bytes>`, a newline and exactly that many bytes. */
  #take(): string | undefined {
    const end = this.#rest.indexOf(NEWLINE);
    if (end < 0) return undefined;
    const line = this.#rest.toString("utf8", 0, end);
    const from = line.startsWith("#") ? end + 1 : 0;
    const to = from === 0 ? end : from + Number(line.slice(1));
    if (this.#rest.length < to) return undefined;
    const frame = this.#rest.toString("utf8", from, to);
    this.#rest = this.#rest.subarray(from === 0 ? to + 1 : to);
    return frame;
  }
}
