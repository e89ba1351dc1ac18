// Reports what an action changed: new, removed and changed lines of the outline, the page's URL, dialogs, errors and
// failed requests.

import {
  SETTLE_FIRST_MS,
  SETTLE_FRAME_MS_MAX,
  SETTLE_MS_MAX,
  SETTLE_QUIET_MS,
  SETTLE_REQUESTS_MS_MAX,
} from "../core/limits.js";
import { lineOf } from "../look/find.js";
import { difference, view } from "../look/part.js";
import { isVisible } from "../look/visible.js";
import type { Core, Witness } from "../core/part.js";
import { frame } from "./ready.js";

export interface Watch {
  /** Takes the first look, which `report` compares with. Further calls do nothing. */
  begin(): void;
  /** Waits until the page is settled, then reports. `element`: described if nothing else changed. */
  report(element?: Element): Promise<string>;
  end(): void;
}

/** `witness` is ended by `end` or by the report. */
export function watch(core: Core, witness: Witness, firstMs = SETTLE_FIRST_MS): Watch {
  const open = witness.open();
  let before: readonly string[] | undefined;
  const url = location.href;
  const left: string[] = [];
  const ending = new AbortController();
  if ("navigation" in window) {
    const leave = ({ destination, downloadRequest }: NavigateEvent): void => {
      if (!destination.sameDocument && downloadRequest === null) left.push(`leaving for ${destination.url}`);
    };
    window.navigation.addEventListener("navigate", leave as EventListener, { signal: ending.signal });
  }
  let mutated = false;
  const observer = new MutationObserver(() => (mutated = true));
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  const settled = async (): Promise<void> => {
    /** The time that the page has had since the action, in ms; `quiet` and `answered` are points of it. */
    let now = 0;
    let looked = performance.now();
    let quiet = 0;
    /** When the last request of the action ended; what its response causes is waited for, too. */
    let answered = 0;
    /** Whether the action has had any effect yet. */
    let begun = false;
    for (;;) {
      await frame(core);
      const before = looked;
      looked = performance.now();
      now += Math.min(looked - before, SETTLE_FRAME_MS_MAX);
      const busy = witness.open() > open;
      if (busy) answered = now;
      if (mutated || busy || isMoving()) {
        quiet = now;
        begun = true;
      }
      mutated = false;
      if (!busy && now - quiet >= (begun ? SETTLE_QUIET_MS : firstMs)) return;
      if (busy ? now >= SETTLE_REQUESTS_MS_MAX : now - answered >= SETTLE_MS_MAX) return;
    }
  };
  const end = (): void => {
    ending.abort();
    observer.disconnect();
    witness.end();
  };

  return {
    begin: () => void (before ??= view()),
    async report(element) {
      await settled();
      end();
      const line = element?.isConnected === true && isVisible(element) ? lineOf(element) : undefined;
      const now = view();
      const told = difference(before ?? now, now);
      const own =
        line !== undefined && !told.some((one) => one.startsWith(`~ ${line.split(" ", 1).join()} `))
          ? [told.length === 0 ? `${line}: nothing else changed` : line]
          : [];
      const moved = location.href === url ? [] : [`now at ${location.href}`];
      const { asked, errors } = witness.end();
      return [...own, ...told, ...moved, ...asked, ...left, ...errors].join("\n") || "nothing changed";
    },
    end,
  };
}

/**
 * Finite animations are waited for, since elements that fade or slide in are not there before; endless ones are not.
 */
function isMoving(): boolean {
  return document
    .getAnimations()
    .some(
      ({ playState, effect }) =>
        playState === "running" && Number(effect?.getComputedTiming().endTime) <= SETTLE_MS_MAX,
    );
}
