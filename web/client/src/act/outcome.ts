// Reports what an action changed: new, removed and changed lines of the outline, the page's URL, dialogs, errors and
// failed requests.

import { SETTLE_FIRST_MS, SETTLE_MS_MAX } from "../core/limits.js";
import { lineOf } from "../look/find.js";
import { difference, view } from "../look/part.js";
import { isVisible } from "../look/visible.js";
import type { Core, InputCommand, Witness } from "../core/part.js";
import { frame } from "./ready.js";
import { type Next, settling } from "./settle.js";

export interface Watch {
  /**
   * Begins to watch, unless it has begun. To be called before the page can run after the act has begun: input that the
   * act requests right away leaves sooner if the watch begins behind it.
   */
  start(): Witness;
  /**
   * Takes the first look in the time that the target is waited for; `begin` keeps it if nothing changes until then.
   * `rests`: whether the target may be at rest. If not, such a look is dropped.
   */
  prepare(rests: boolean): void;
  /** Something is done now: takes the first look, which `report` compares with, unless it was taken before. */
  begin(): void;
  /**
   * Input was just requested: takes the first look in the time that it travels, and notes when it arrives, at the
   * latest when `made` resolves.
   */
  requested(made: Promise<void>, commands: readonly InputCommand[]): void;
  /** Waits until the page is settled, then reports. `element`: described if nothing else changed. */
  report(element?: Element): Promise<string>;
  end(): void;
}

/**
 * The last event of input. One listener, because each delays the input itself, and none of touch or pointers: the
 * browser's compositor keeps account of those, so that one more costs a frame.
 */
function lastEvent(commands: readonly InputCommand[]): string {
  const { type, button } = commands.at(-1)?.params ?? {};
  const clicks = button === "left" && commands.some(({ params }) => params.type === "mousePressed");
  if (type === "mouseReleased") return clicks ? "click" : "mouseup";
  return type === "mouseMoved" ? "mousemove" : type === "keyUp" ? "keyup" : "input";
}

/** `witnessing` begins the witness, which is ended by `end` or by the report. */
export function watch(core: Core, witnessing: () => Witness, firstMs = SETTLE_FIRST_MS): Watch {
  let witness: Witness | undefined;
  let open = 0;
  let before: readonly string[] | undefined;
  let url = "";
  const left: string[] = [];
  const ending = new AbortController();
  /** When something changed last, by `performance.now`; negative before the first change. */
  let changedMs = -1;
  /** A look that was taken before the first one was needed; `undefined` if something has changed since. */
  let prepared: readonly string[] | undefined;
  const changes = (): void => {
    changedMs = performance.now();
    prepared = undefined;
  };
  const observer = new MutationObserver(changes);
  const start = (): Witness => {
    if (witness !== undefined) return witness;
    witness = witnessing();
    open = witness.open();
    url = location.href;
    if ("navigation" in window) {
      const leave = ({ destination, downloadRequest }: NavigateEvent): void => {
        if (!destination.sameDocument && downloadRequest === null) left.push(`leaving for ${destination.url}`);
      };
      window.navigation.addEventListener("navigate", leave as EventListener, { signal: ending.signal });
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    return witness;
  };
  const noticeChanges = (): void => {
    if (observer.takeRecords().length > 0) changes();
  };

  /** When the first frame after the last input began; `undefined` before that. */
  let drawnMs: number | undefined;
  let drawing: Promise<void> | undefined;
  /** Whether the last input has arrived. */
  let arrived = false;
  const arrives = (): void => {
    arrived = true;
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
      const busy = start().open() > open;
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
    start();
    drawnMs = undefined;
    if (before !== undefined || ending.signal.aborted) return;
    noticeChanges();
    before = prepared ?? view();
  };
  const end = (): void => {
    ending.abort();
    observer.disconnect();
    witness?.end();
  };

  return {
    start,
    prepare(rests) {
      start();
      noticeChanges();
      if (!rests) prepared = undefined;
      else if (before === undefined) prepared ??= view();
    },
    begin,
    requested(made, commands) {
      begin();
      arrived = false;
      // The same listener is added once.
      addEventListener(lastEvent(commands), arrives, { capture: true, signal: ending.signal });
      const answered = (): void => {
        if (!arrived) arrives();
      };
      made.then(answered, answered);
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
      const { asked, errors } = start().end();
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
