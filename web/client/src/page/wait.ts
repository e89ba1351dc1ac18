// The verb `wait`: checks an expression, a function or a target whenever the page may have changed, until it is truthy
// or visible.

import { hint } from "../core/hint.js";
import { listen } from "../core/lasting.js";
import { WAIT_LOOK_MS, WAIT_MS } from "../core/limits.js";
import type { Core } from "../core/part.js";
import { refusal } from "./refusal.js";
import { late, misused, timeoutOf, type Asking, type Params, type Verbs } from "./verb.js";

export interface Waits {
  readonly verbs: Verbs;
  /** Checks again: a call may have changed something that no event reports. */
  called(): void;
}

/** Events of the person and of arriving data. */
const EVENTS =
  "input change click keydown pointerup focusin load transitionend animationend popstate hashchange message".split(
    " ",
  ) as (keyof WindowEventMap)[];
const TARGET = /^(?:(?:text|css)=|[#.[]|@?(?:f\d+)?e\d+$)/;
const MUTATIONS = { subtree: true, childList: true, attributes: true, characterData: true };

/** One check; the wait ends with its first truthy value. */
type Look = () => unknown;

export function waits(core: Core): Waits {
  /** For every wait in progress, a function that checks again. */
  const waiting = new Set<() => void>();

  const until = (look: Look, what: string, timeoutMs: number, { signal }: Asking): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const ending = new AbortController();
      const { port1, port2 } = new MessageChannel();
      let last: unknown;
      let thrown: unknown;
      let looks = 0;
      let looking = false;
      let isQueued = false;

      const end = (then: () => void): void => {
        if (ending.signal.aborted) return;
        ending.abort();
        observer.disconnect();
        waiting.delete(again);
        port1.close();
        then();
      };
      const again = (): void => {
        if (isQueued) return;
        isQueued = true;
        // In a task of its own, so that an expression that changes the page does not block everything else.
        port2.postMessage(0);
      };
      const attempt = async (): Promise<void> => {
        isQueued = false;
        if (looking || ending.signal.aborted) return;
        looking = true;
        looks++;
        try {
          last = await look();
          thrown = undefined;
          if (last) end(() => resolve(last));
        } catch (error) {
          thrown = error;
          // Code that does not compile will not compile later, and a refusal does not change.
          if (
            typeof error === "string" ||
            (looks === 1 && error instanceof Error && /^(?:SyntaxError|Refused)$/.test(error.name))
          )
            end(() => reject(error));
        }
        looking = false;
      };
      const tick = (): void => {
        if (ending.signal.aborted) return;
        again();
        core.after(WAIT_LOOK_MS, tick);
      };

      const observer = new MutationObserver(again);
      observer.observe(document, MUTATIONS);
      listen(window, EVENTS, again, { capture: true, passive: true, signal: ending.signal });
      signal.addEventListener("abort", () => end(() => reject(signal.reason)));
      port1.onmessage = () => void attempt();
      waiting.add(again);
      core.after(timeoutMs, () => {
        const next = thrown === undefined ? undefined : { hint: hint("threw", core.render(thrown).slice(1)) };
        end(() => reject(late(`not within ${timeoutMs / 1000} s: ${what}`, { value: shown(core, last), ...next })));
      });
      void attempt();
      core.after(WAIT_LOOK_MS, tick);
    });

  return {
    // Answers are rendered a task later, after everything that the call has changed.
    called: () => waiting.forEach((again) => again()),
    verbs: {
      async wait(params: Params, asking: Asking) {
        const { what, expr = what } = params;
        const target = waitedFor(params);
        const timeoutMs = timeoutOf(params, WAIT_MS);
        if (target !== undefined) {
          const { seen } = await core.load("hands");
          return until(() => seen(target, params.frame), String(target), timeoutMs, asking);
        }
        if (params.frame !== undefined) throw misused("wait takes a frame with a target only");
        if (typeof expr === "function") return until(expr as Look, String(expr), timeoutMs, asking);
        if (typeof expr !== "string" || expr === "") throw misused("wait needs a target or an expr");
        const { run } = core;
        if (run === undefined) throw refusal(core);
        const kept = core.input === undefined ? undefined : compiled(run, expr);
        return until(kept ?? (() => run(expr)), expr, timeoutMs, asking);
      },
    },
  };
}

/**
 * Compiles an expression in advance: in a driven page, a policy allows eval only while the driver's message is handled,
 * not when the page changes later.
 */
function compiled(run: (code: string) => unknown, expr: string): Look | undefined {
  try {
    const look = run(`(()=>(${expr}\n))`);
    return typeof look === "function" ? (look as Look) : undefined;
  } catch {
    // These are statements; they are run as they are.
    return undefined;
  }
}

/** The target that the params wait for; `undefined` if they wait for code. */
export function waitedFor({ what, target = isTarget(what) ? what : undefined }: Params): unknown {
  return target;
}

function isTarget(what: unknown): boolean {
  return what instanceof Element || (typeof what === "string" && TARGET.test(what));
}

/** The value as far as JSON can hold it. */
function shown(core: Core, value: unknown): unknown {
  const text = core.render(value);
  return text.startsWith("=") ? (JSON.parse(text.slice(1)) as unknown) : text.slice(1);
}
