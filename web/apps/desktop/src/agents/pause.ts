// Whether the person has paused agents. Stored, so that a reload does not resume them.

import { eye } from "../eye.js";

const KEY = "desktop.paused";

export class Pause {
  readonly message = "the person at this desktop has paused agents";
  readonly hint = "ask them to resume: the light beside the clock";
  readonly #keep: Storage | undefined;
  readonly #listeners = new Set<() => void>();
  #on: boolean;

  constructor(keep: Storage | undefined) {
    this.#keep = keep;
    this.#on = keep?.getItem(KEY) === "yes";
  }

  get on(): boolean {
    return this.#on;
  }

  pauseAgents(on: boolean): void {
    this.#on = on;
    this.#keep?.setItem(KEY, on ? "yes" : "no");
    this.tellClient();
    for (const listener of this.#listeners) listener();
  }

  /** Also called when the client has loaded, to apply the stored value. */
  tellClient(): void {
    if (this.#on) eye()?.pause?.(this.message, this.hint);
    else eye()?.resume?.();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
