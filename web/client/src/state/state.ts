// The part behind `eye.state`: decides when to read the page's state, and sends changes to the hub. It holds no socket.

import { CODE_INTERNAL, CODE_METHOD, CODE_THREW } from "../generated/protocol.js";
import { listen } from "../core/lasting.js";
import { STATE_THROTTLE_MS } from "../core/limits.js";
import type { Core, Rpc, StatePart } from "../core/part.js";
import { publishedDocument, Unfit, type PublishedDocument } from "./published.js";
import type { StateOptions, StateSource } from "./source.js";

/** Events of the person. */
const INTERACTIONS =
  "pointerdown pointermove pointerup pointercancel click keydown keyup wheel touchstart touchmove touchend touchcancel input change".split(
    " ",
  ) as (keyof WindowEventMap)[];

/** The browser features that the part needs; tests pass their own. */
export interface Stage {
  /** Runs in a later task, without a timer. */
  task(then: () => void): void;
  /** Calls back with every interaction, until the signal aborts. */
  interactions(seen: () => void, signal: AbortSignal): void;
  /** Calls back with every change of the document, until the signal aborts. */
  mutations(seen: () => void, signal: AbortSignal): void;
  readonly visible: boolean;
}

export function offer(core: Core, stage: Stage = browser()): StatePart {
  const { task, interactions } = stage;
  const published = publishedDocument();
  let source: StateSource | undefined;
  let throttle = STATE_THROTTLE_MS;
  let observe: StateOptions["observe"];
  let restore: StateOptions["restore"];
  /** Aborted when the observation ends. */
  let observed = new AbortController();
  /**
   * The kinds of errors that this source was already reported for: `true` for unpublishable values, `false` for its
   * own.
   */
  const blamed = new Set<boolean>();
  /** The current connection; aborted when it ends. */
  let joined: AbortController | undefined;
  /** Whether the hub has the whole document from this connection. */
  let isReported = false;
  let scheduled = false;
  /** Whether something happened since the throttled check; `undefined` while none is pending. */
  let again: boolean | undefined;

  const look = (): void => {
    if (joined === undefined || source === undefined) return;
    let patch: ReturnType<PublishedDocument["read"]>;
    try {
      patch = published.read(source);
    } catch (error) {
      blame(error);
      return;
    }
    if (!published.exists || (isReported && patch?.length === 0)) return;
    const { state, revision } = published.whole;
    if (isReported && patch !== undefined) core.send({ method: "state/patch", params: { patch, revision } });
    else core.send({ method: "state/update", params: { state, revision } });
    isReported = true;
  };

  const blame = (error: unknown): void => {
    const unfit = error instanceof Unfit;
    if (blamed.has(unfit)) return;
    blamed.add(unfit);
    if (unfit) console.error(`eye: ${error.message}; it is not published`);
    else console.error("eye: the state cannot be read, and is not published:", error);
  };

  /**
   * Checks in a later task, after the pending answer and the page's own listeners; further calls until then do nothing.
   */
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

  /** Starts the observation that the page requested; again for every source and every connection. */
  const observeAnew = (): void => {
    observed.abort();
    observed = new AbortController();
    const { signal } = observed;
    if (joined === undefined) return;
    if (observe === true) stage.mutations(changed, signal);
    else if (typeof observe === "number") every(observe, signal);
  };

  const every = (ms: number, signal: AbortSignal): void =>
    core.after(ms, () => {
      if (signal.aborted) return;
      if (stage.visible) look();
      every(ms, signal);
    });

  /** Checks once more even after a single event: work that it started may be done by then. */
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
    isReported = true;
    return { id, result: published.whole };
  };

  const set = async (id: string | number, state: unknown): Promise<void> => {
    let answer: object;
    try {
      if (restore === undefined)
        throw new Unfit("this page does not say how its state is set: eye.state(source, { restore })");
      await restore(state as never);
      look();
      answer = { id, result: "restored" };
    } catch (error) {
      const code = error instanceof Unfit ? CODE_METHOD : CODE_THREW;
      answer = { id, error: { code, message: error instanceof Error ? error.message : String(error) } };
    }
    core.send(answer);
  };

  return {
    state(next: StateSource, options: StateOptions = {}) {
      source = next;
      throttle = options.throttle ?? STATE_THROTTLE_MS;
      ({ observe, restore } = options);
      published.immutable(options.immutable === true);
      blamed.clear();
      look();
      observeAnew();
    },
    changed,
    called: (delta = false) => (delta ? look() : soon()),
    answer,
    isAt(revision) {
      look();
      return published.exists && published.whole.revision === revision;
    },
    take({ id, method, params }: Rpc) {
      if (method === "state/set" && id !== undefined && source !== undefined) {
        void set(id, params?.state);
        return true;
      }
      const reply = method === "state/get" && id !== undefined ? answer(id) : undefined;
      if (reply !== undefined) core.send(reply);
      return reply !== undefined;
    },
    joined() {
      joined = new AbortController();
      isReported = false;
      again = undefined;
      interactions(changed, joined.signal);
      look();
      observeAnew();
    },
    left() {
      joined?.abort();
      joined = undefined;
      observeAnew();
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
      listen(window, INTERACTIONS, seen, { capture: true, passive: true, signal });
    },
    mutations(seen, signal) {
      const observer = new MutationObserver(seen);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      signal.addEventListener("abort", () => observer.disconnect());
    },
    get visible() {
      return document.visibilityState === "visible";
    },
  };
}
