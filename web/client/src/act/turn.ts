// Lets the page run between two steps of an action: frameworks render, and editors read the selection, in tasks of
// their own.

import type { Core, Input } from "../core/part.js";

export interface Hands {
  /** Runs a step now; a navigation that it starts is attributed to this call. */
  own<T>(act: () => T): T;
  /** Resolves in a later task, after `ms` milliseconds if given. */
  turn(ms?: number): Promise<void>;
  /** Real input; `undefined` without a driven browser. */
  readonly input: Input | undefined;
}

export function hands(core: Core, own: Hands["own"], synthetic = false): Hands {
  return {
    own,
    input: synthetic ? undefined : core.input,
    // Timers are slow in hidden tabs; a message arrives at once in every tab.
    turn: (ms = 0) => new Promise((resolve) => (ms > 0 ? core.after(ms, resolve) : posted(resolve))),
  };
}

function posted(then: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    then();
  };
  port2.postMessage(0);
}
