// Reports what an action changed: new, removed and changed lines of the outline, the page's URL, dialogs, errors and
// failed requests.

import { SETTLE_FIRST_MS, SETTLE_MS_MAX } from "../core/limits.js";
import { soon } from "../core/side.js";
import { lineOf } from "../look/find.js";
import { difference, view } from "../look/part.js";
import { isVisible } from "../look/visible.js";
import type { Core, Witness } from "../core/part.js";
import { frame } from "./ready.js";
import { type Next, settling } from "./settle.js";

export interface Watch {
  /**
   * Takes the first look in the time that the target is waited for; `begin` keeps it if nothing changes until then.
   * `rests`: whether the target may be at rest. If not, such a look is dropped.
   */
  prepare(rests: boolean): void;
  /** Takes the first look, which `report` compares with. Further calls do nothing. */
  begin(): void;
  /** Takes it in the next task, while the browser gets the input that was just requested, and before that arrives. */
  beginSoon(): void;
  /** Waits until the page is settled, then reports. `element`: described if nothing else changed. */
  report(element?: Element): Promise<string>;
  end(): void;
}

/** The first events of input. */
const ARRIVES = ["pointerover", "pointermove", "pointerdown", "touchstart", "keydown", "beforeinput"];

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
  /** A look that was taken before the first one was needed; `undefined` if something has changed since. */
  let prepared: readonly string[] | undefined;
  const changes = (): void => {
    mutated = true;
    prepared = undefined;
  };
  const observer = new MutationObserver(changes);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const noticeChanges = (): void => {
    if (observer.takeRecords().length > 0) changes();
  };

  /** Waits until the page has settled. Returns a look that was taken meanwhile, if nothing has changed since. */
  const settled = async (): Promise<readonly string[] | undefined> => {
    const step = settling(firstMs);
    let next: Next | undefined = "frame";
    let looked = performance.now();
    let seen: readonly string[] | undefined;
    let hasSeen = false;
    while (next !== undefined) {
      if (next === "frame") await frame(core);
      else {
        // At most once: a page that changes again and again would be looked at again and again.
        if (!hasSeen) seen = view();
        hasSeen = true;
        // Timers of the page that are due come before this one.
        const restMs = Math.max(Math.ceil(next.restMs - (performance.now() - looked)), 1);
        await new Promise<void>((resolve) => core.after(restMs, resolve));
      }
      const before = looked;
      looked = performance.now();
      const busy = witness.open() > open;
      const changed = mutated || isMoving();
      if (changed || busy) seen = undefined;
      mutated = false;
      next = step({ ms: looked - before, changed, busy });
    }
    return seen;
  };
  const begin = (): void => {
    if (before !== undefined || ending.signal.aborted) return;
    noticeChanges();
    before = prepared ?? view();
  };
  const end = (): void => {
    ending.abort();
    observer.disconnect();
    witness.end();
  };

  return {
    prepare(rests) {
      noticeChanges();
      if (!rests) prepared = undefined;
      else if (before === undefined) prepared ??= view();
    },
    begin,
    beginSoon() {
      if (before !== undefined) return;
      const how = { capture: true, signal: ending.signal };
      for (const type of ARRIVES) addEventListener(type, begin, how);
      soon(begin);
    },
    async report(element) {
      const seen = await settled();
      end();
      const line = element?.isConnected === true && isVisible(element) ? lineOf(element) : undefined;
      const now = seen ?? view();
      const changes = difference(before ?? now, now);
      const own =
        line !== undefined && !changes.some((one) => one.startsWith(`~ ${line.split(" ", 1).join()} `))
          ? [changes.length === 0 ? `${line}: nothing else changed` : line]
          : [];
      const moved = location.href === url ? [] : [`now at ${location.href}`];
      const { asked, errors } = witness.end();
      return [...own, ...changes, ...moved, ...asked, ...left, ...errors].join("\n") || "nothing changed";
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
