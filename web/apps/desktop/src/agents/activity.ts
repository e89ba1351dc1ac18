// The activity of agents: the last calls and how each ended, and whether agents are paused. Renders nothing.

import type { Asked, Ended } from "./frames.js";

export type Outcome = "running" | "done" | "failed" | "cancelled";

export interface Call {
  readonly number: number;
  readonly kind: Asked["kind"];
  readonly text: string;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly outcome: Outcome;
  /** The result, or the error message. */
  readonly answer: string;
  readonly ms: number | undefined;
}

/** The oldest calls are dropped. */
export const CALLS_LEN_MAX = 200;

export class Activity {
  readonly #calls: Call[] = [];
  /** The numbers of running calls, by the id from the hub. */
  readonly #running = new Map<string, number>();
  readonly #listeners = new Set<(call: Call) => void>();
  readonly #linkListeners = new Set<() => void>();
  readonly #now: () => number;
  #total = 0;
  #linked = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The latest first. */
  get calls(): readonly Call[] {
    return this.#calls.toReversed();
  }

  get total(): number {
    return this.#total;
  }

  /** Whether a hub is connected, through which agents may come. */
  get linked(): boolean {
    return this.#linked;
  }

  get running(): number {
    return this.#running.size;
  }

  begin({ id, kind, text }: Asked): void {
    const number = ++this.#total;
    const runs = id !== "";
    if (runs) this.#running.set(id, number);
    // The ending of a fired call is not reported.
    const call: Call = {
      number,
      kind,
      text,
      at: this.#now(),
      outcome: runs ? "running" : "done",
      answer: "",
      ms: undefined,
    };
    this.#calls.push(call);
    if (this.#calls.length > CALLS_LEN_MAX) this.#calls.shift();
    this.#tell(call);
  }

  end({ id, failed, text }: Ended): void {
    this.#end(id, failed ? "failed" : "done", text);
  }

  cancel(id: string): void {
    this.#end(id, "cancelled", "");
  }

  link(): void {
    this.#linked = true;
    for (const listener of this.#linkListeners) listener();
  }

  /** The connection is gone, and all waiting callers with it. */
  unlink(): void {
    this.#linked = false;
    for (const id of [...this.#running.keys()]) this.cancel(id);
    for (const listener of this.#linkListeners) listener();
  }

  /** Calls the listener when a call begins and when it ends. Returns a function that unsubscribes. */
  onCall(listener: (call: Call) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onLink(listener: () => void): () => void {
    this.#linkListeners.add(listener);
    return () => this.#linkListeners.delete(listener);
  }

  #end(id: string, outcome: Outcome, answer: string): void {
    const number = this.#running.get(id);
    this.#running.delete(id);
    const at = this.#calls.findLastIndex((call) => call.number === number);
    const call = this.#calls[at];
    if (call === undefined) return;
    const ended = { ...call, outcome, answer, ms: Math.max(0, this.#now() - call.at) };
    this.#calls[at] = ended;
    this.#tell(ended);
  }

  #tell(call: Call): void {
    for (const listener of this.#listeners) listener(call);
  }
}
