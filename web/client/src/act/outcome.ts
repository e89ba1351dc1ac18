// Says what an action changed: lines of the outline that came, went or are different, where the page is now, dialogs,
// errors and failed requests.

import {
  SETTLE_FIRST_MS,
  SETTLE_FRAME_MS_MAX,
  SETTLE_MS_MAX,
  SETTLE_QUIET_MS,
  SETTLE_REQUESTS_MS_MAX,
} from "../core/limits.js";
import type { Log } from "../core/journal.js";
import { lineOf } from "../look/find.js";
import { difference, view } from "../look/part.js";
import { isVisible } from "../look/visible.js";
import type { Core } from "../core/part.js";
import type { Params } from "../page/verb.js";
import { answerDialogs } from "./dialogs.js";
import { frame } from "./ready.js";

export interface Watch {
  /** Takes the look that the last one is compared with, the first time it is called. */
  begin(): void;
  /** Once the page has come to rest. `element` is told of if nothing else says what became of it. */
  report(element?: Element): Promise<string>;
  end(): void;
}

/**
 * `answers`: what to say to the browser's own questions while this lasts; they would stop the page for a person to
 * answer.
 */
export async function watch(core: Core, answers: Params, firstMs = SETTLE_FIRST_MS): Promise<Watch> {
  const { logged: loggedAfter } = await core.load("verbs");
  const { journal } = core;
  const logged = journal.entries.at(-1)?.n ?? 0;
  const open = journal.open;
  let before: readonly string[] | undefined;
  const url = location.href;
  const asked: string[] = [];
  const ending = new AbortController();
  if ("navigation" in window) {
    const leave = ({ destination, downloadRequest }: NavigateEvent): void => {
      if (!destination.sameDocument && downloadRequest === null) asked.push(`leaving for ${destination.url}`);
    };
    window.navigation.addEventListener("navigate", leave as EventListener, { signal: ending.signal });
  }
  const restore = answerDialogs(asked, answers);
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
      const busy = journal.open > open;
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
    restore();
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
      const errors = loggedAfter(logged).filter(({ level }) => level === "error");
      return [...own, ...told, ...moved, ...asked, ...errors.map(errorLine)].join("\n") || "nothing changed";
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

function errorLine({ text, count }: Log): string {
  return `error: ${text}${count === undefined ? "" : ` (${count} times)`}`;
}
