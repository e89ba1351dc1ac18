// Says what an action changed: lines of the outline that came, went or are different, where the page is now, dialogs,
// errors and failed requests.

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
  /** Takes the look that the last one is compared with, the first time it is called. */
  begin(): void;
  /** Once the page has come to rest. `element` is told of if nothing else says what became of it. */
  report(element?: Element): Promise<string>;
  end(): void;
}

/** `witness` ends with this, or with the report. */
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
    /** The time that the page had since the action; the following are points of it. */
    let now = 0;
    let looked = performance.now();
    let quiet = 0;
    /** Since when no request that the action began is under way; what its answer causes is waited for, too. */
    let answered = 0;
    /** Whether anything has followed the action. */
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

/** What fades or slides in is not there before it has; what moves for ever is not waited for. */
function isMoving(): boolean {
  return document
    .getAnimations()
    .some(
      ({ playState, effect }) =>
        playState === "running" && Number(effect?.getComputedTiming().endTime) <= SETTLE_MS_MAX,
    );
}
