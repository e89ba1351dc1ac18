// Reports what an action changed: new, removed and changed lines of the outline, the page's URL, dialogs, errors and
// failed requests.

import { SETTLE_FIRST_MS, SETTLE_MS_MAX } from "../core/limits.js";
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
  /** Something is done now: takes the first look, which `report` compares with, unless it was taken before. */
  begin(): void;
  /** Input was just requested: takes the first look in the time that it travels, and notes when it arrives. */
  requested(): void;
  /** Waits until the page is settled, then reports. `element`: described if nothing else changed. */
  report(element?: Element): Promise<string>;
  end(): void;
}

/**
 * The last events of input; a click comes with the `mouseup` before it. None of touch or pointers: the browser's
 * compositor keeps account of their listeners, so that one more costs a frame.
 */
const ARRIVES = ["mousemove", "mouseup", "keyup", "input"];

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
  /** When something changed last, by `performance.now`; negative before the first change. */
  let changedMs = -1;
  /** A look that was taken before the first one was needed; `undefined` if something has changed since. */
  let prepared: readonly string[] | undefined;
  const changes = (): void => {
    changedMs = performance.now();
    prepared = undefined;
  };
  const observer = new MutationObserver(changes);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const noticeChanges = (): void => {
    if (observer.takeRecords().length > 0) changes();
  };

  /** When the first frame after the last input began; `undefined` before that. */
  let drawnMs: number | undefined;
  let drawing: Promise<void> | undefined;
  const arrives = (): void => {
    drawnMs = undefined;
    drawing ??= frame(core).then(() => {
      drawing = undefined;
      drawnMs = performance.now();
    });
  };

  /**
   * Waits until the page has settled, from the first frame after its input. `compare` is called meanwhile; returns what
   * it returned, if nothing has changed since.
   */
  const settled = async <T>(compare: () => T): Promise<T | undefined> => {
    await drawing;
    const step = settling(firstMs);
    let looked = drawnMs ?? performance.now();
    let compared: T | undefined;
    let hasCompared = false;
    const stepped = (ms: number, sinceMs: number): Next | undefined => {
      const busy = witness.open() > open;
      const changed = changedMs >= sinceMs || isMoving();
      if (changed || busy) compared = undefined;
      return step({ ms, changed, busy });
    };
    // What changed before the first frame belongs to that frame.
    let next = drawnMs === undefined ? "frame" : stepped(0, 0);
    let sinceMs = drawnMs ?? 0;
    while (next !== undefined) {
      if (next === "frame") await frame(core);
      else {
        const { restMs } = next;
        // Timers of the page that are due come before this one.
        const rest = new Promise<void>((resolve) => core.after(Math.max(Math.ceil(restMs), 1), resolve));
        // At most once: a page that changes again and again would be looked at again and again.
        if (!hasCompared) compared = compare();
        hasCompared = true;
        await rest;
      }
      const before = looked;
      looked = performance.now();
      next = stepped(looked - before, sinceMs);
      sinceMs = looked;
    }
    return compared;
  };
  const begin = (): void => {
    drawnMs = undefined;
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
    requested() {
      begin();
      // The same listener is added once.
      for (const type of ARRIVES) addEventListener(type, arrives, { capture: true, signal: ending.signal });
    },
    async report(element) {
      const compare = (): readonly string[] => {
        const line = element?.isConnected === true && isVisible(element) ? lineOf(element) : undefined;
        const now = view();
        const lines = difference(before ?? now, now);
        if (line === undefined || lines.some((one) => one.startsWith(`~ ${line.split(" ", 1).join()} `))) return lines;
        return [lines.length === 0 ? `${line}: nothing else changed` : line, ...lines];
      };
      const lines = (await settled(compare)) ?? compare();
      end();
      const moved = location.href === url ? [] : [`now at ${location.href}`];
      const { asked, errors } = witness.end();
      return [...lines, ...moved, ...asked, ...left, ...errors].join("\n") || "nothing changed";
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
