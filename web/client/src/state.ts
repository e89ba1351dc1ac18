// The part behind `eye.state`: decides when the page's state is looked at, and tells the hub what changed. It holds no socket.

import { CODE_INTERNAL, CODE_THREW } from "./generated/protocol.js";
import { STATE_THROTTLE_MS } from "./limits.js";
import type { Core, Rpc, StatePart } from "./part.js";
import { Published, Unfit } from "./published.js";
import type { StateOptions, StateSource } from "./source.js";

/** What a person does to a page. */
const INTERACTIONS = "pointerdown pointermove pointerup pointercancel click keydown keyup wheel touchstart touchmove touchend touchcancel input change".split(" ");

/** What the part needs of a browser; tests bring their own. */
export interface Stage {
  /** Runs in a later task, without a timer. */
  task(then: () => void): void;
  /** Calls back with every interaction, until the signal aborts. */
  interactions(seen: () => void, signal: AbortSignal): void;
}

export function offer(core: Core, { task, interactions }: Stage = browser()): StatePart {
  const published = new Published();
  let source: StateSource | undefined;
  let throttle = STATE_THROTTLE_MS;
  /** The kinds of errors that this source has been blamed for: its own, or what cannot be published. */
  const blamed = new Set<boolean>();
  /** Of the connection: aborts with it. */
  let joined: AbortController | undefined;
  /** Whether the hub has a whole document from this connection. */
  let told = false;
  let scheduled = false;
  /** Whether something happened since the throttled look; `undefined` while none is waited for. */
  let again: boolean | undefined;

  const look = (): void => {
    if (joined === undefined || source === undefined) return;
    let patch: ReturnType<Published["read"]>;
    try {
      patch = published.read(source);
    } catch (error) {
      blame(error);
      return;
    }
    if (!published.exists || (told && patch?.length === 0)) return;
    const { state, revision } = published.whole;
    if (told && patch !== undefined) core.send({ method: "state/patch", params: { patch, revision } });
    else core.send({ method: "state/update", params: { state, revision } });
    told = true;
  };

  const blame = (error: unknown): void => {
    const unfit = error instanceof Unfit;
    if (blamed.has(unfit)) return;
    blamed.add(unfit);
    if (unfit) console.error(`eye: ${error.message}; it is not published`);
    else console.error("eye: the state cannot be read, and is not published:", error);
  };

  /** Behind the answer that is about to leave, or the page's own listeners; once for all that ask before it. */
  const soon = (): void => {
    if (scheduled || joined === undefined) return;
    scheduled = true;
    task(() => {
      scheduled = false;
      look();
    });
  };

  const changed = (): void => {
    if (joined === undefined) return;
    if (again !== undefined) {
      again = true;
      return;
    }
    soon();
    wait(joined);
  };

  /** Looks once more even after a single event: what it started may have ended by then. */
  const wait = (mine: AbortController): void => {
    again = false;
    core.after(throttle, () => {
      if (joined !== mine) return;
      look();
      if (again === true) wait(mine);
      else again = undefined;
    });
  };

  const answer = (id: string | number): object | undefined => {
    if (source === undefined) return undefined;
    try {
      published.read(source);
    } catch (error) {
      const message = error instanceof Unfit ? error.message : `the state cannot be read: ${String(error)}`;
      return { id, error: { code: error instanceof Unfit ? CODE_INTERNAL : CODE_THREW, message } };
    }
    if (!published.exists) return undefined;
    told = true;
    return { id, result: published.whole };
  };

  return {
    state(next: StateSource, options: StateOptions = {}) {
      source = next;
      throttle = options.throttle ?? STATE_THROTTLE_MS;
      blamed.clear();
      look();
    },
    changed,
    called: (delta = false) => (delta ? look() : soon()),
    answer,
    take({ id, method }: Rpc) {
      const said = method === "state/get" && id !== undefined ? answer(id) : undefined;
      if (said !== undefined) core.send(said);
      return said !== undefined;
    },
    joined() {
      joined = new AbortController();
      told = false;
      again = undefined;
      interactions(changed, joined.signal);
      look();
    },
    left() {
      joined?.abort();
      joined = undefined;
    },
  };
}

function browser(): Stage {
  const { port1, port2 } = new MessageChannel();
  const tasks: (() => void)[] = [];
  port1.onmessage = () => tasks.shift()?.();
  return {
    task(then) {
      tasks.push(then);
      port2.postMessage(0);
    },
    interactions(seen, signal) {
      for (const name of INTERACTIONS) addEventListener(name, seen, { capture: true, passive: true, signal });
    },
  };
}
