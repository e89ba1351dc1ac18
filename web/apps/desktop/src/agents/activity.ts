// What agents did here: the last calls, how each ended, and whether the person lets more come. It draws nothing.

import type { Asked, Ended } from "./frames.js";

export type Outcome = "running" | "done" | "failed" | "cancelled";

export interface Call {
  readonly number: number;
  readonly kind: Asked["kind"];
  readonly text: string;
  /** Milliseconds of the calendar. */
  readonly at: number;
  readonly outcome: Outcome;
  /** What came of it. */
  readonly answer: string;
  readonly ms: number | undefined;
}

/** The oldest give way. */
export const CALLS_LEN_MAX = 200;

export class Activity {
  readonly #calls: Call[] = [];
  /** The numbers of calls that run, by the id that the hub gave them. */
  readonly #running = new Map<string, number>();
  readonly #listeners = new Set<(call: Call) => void>();
  readonly #linkListeners = new Set<() => void>();
  readonly #now: () => number;
  #total = 0;
  #linked = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The last first. */
  get calls(): readonly Call[] {
    return this.#calls.toReversed();
  }

  get total(): number {
    return this.#total;
  }

  /** Whether a hub is there through which agents may come. */
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

  /** The connection is gone, and with it everyone who waited. */
  unlink(): void {
    this.#linked = false;
    for (const id of [...this.#running.keys()]) this.cancel(id);
    for (const listener of this.#linkListeners) listener();
  }

  /** Hears of each call when it begins and when it ends; the result ends it. */
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
