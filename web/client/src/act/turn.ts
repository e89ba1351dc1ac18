// Gives the page its turn between two steps of an action: frameworks render, and editors read the selection, in tasks
// of their own.

import type { Core, Input } from "../core/part.js";

export interface Hands {
  /** Runs a step now; a navigation that it starts is known as this call's. */
  own<T>(act: () => T): T;
  /** Resolves in a later task, after so many milliseconds if any are given. */
  turn(ms?: number): Promise<void>;
  /** Real input, where there is some. */
  readonly input: Input | undefined;
}

export function hands(core: Core, own: Hands["own"], synthetic = false): Hands {
  return {
    own,
    input: synthetic ? undefined : core.input,
    // Hidden tabs have slow timers; a message comes at once in every tab.
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
