// The part with all verbs that look or act. It is one part because every act is followed by a look.

import { acts } from "../act/part.js";
import { LOADED_MS, LOADING_MS, READY_LOOK_MS } from "../core/limits.js";
import { looks, seen, view } from "../look/part.js";
import { scoped } from "../look/find.js";
import { countFrom, lastRef } from "../look/refs.js";
import type { Core, HandsPart } from "../core/part.js";
import { frameWindow } from "./frames.js";
import type { Params, Verb } from "./verb.js";

export function offer(core: Core): HandsPart {
  const welcomed = (): void => countFrom(core.lastRef);
  /** Reports new refs to the hub before an agent can use one. */
  const counted =
    (name: string, verb: Verb): Verb =>
    async (params, asking) => {
      try {
        return await verb(params.frame === undefined ? params : inFrame(core, name, params), asking);
      } finally {
        if (lastRef() > core.lastRef) {
          core.lastRef = lastRef();
          core.send({ method: "page/info", params: { lastRef: core.lastRef } });
        }
      }
    };
  const { look, text, ...others } = looks();
  const outline: Verb = async (params, asking) => {
    if (params.loaded === true || params.target === undefined) await shown(core, params.loaded === true, asking.signal);
    const lines = String(await look?.(params, asking));
    // Calls wait until a navigation is done, but not forever.
    return core.leaving === "" ? lines : `${lines}\n… leaving for ${core.leaving}, which has not answered yet`;
  };
  const readable: Verb = async (params, asking) => {
    if (params.target === undefined) await shown(core, false, asking.signal);
    return text?.(params, asking);
  };
  welcomed();
  const verbs = Object.entries({ ...others, look: outline, text: readable, ...acts(core) }).map(
    ([name, verb]) => [name, counted(name, verb)] as const,
  );
  return {
    seen: (target, frame) => seen(frame === undefined ? target : inFrame(core, "wait", { frame, target }).target),
    welcomed,
    verbs: Object.fromEntries(verbs),
  };
}

/** The params of a verb, with its targets limited to the frame that they name. */
function inFrame(core: Core, name: string, { frame, ...params }: Params): Params {
  const view = frameWindow(core, String(frame));
  // A typed answer that lists the frames.
  if (typeof view === "string") throw view;
  const { document: root } = view;
  const pages: Readonly<Record<string, Element | null>> = {
    look: root.body,
    text: root.body,
    scroll: root.scrollingElement,
    press: root.activeElement,
    click: root.documentElement,
  };
  const entries = Object.entries(params).map(([key, value]) => [
    key,
    key === "fields" && Array.isArray(value)
      ? value.map((field: unknown) => (Array.isArray(field) ? [scoped(field[0], root), field[1]] : field))
      : TARGETS.includes(key)
        ? scoped(value, root)
        : value,
  ]);
  const target = pages[name];
  return { ...(target ? { target } : {}), ...(Object.fromEntries(entries) as Params) };
}

const TARGETS = ["target", "from", "to", "click"];

/**
 * Waits until the page shows something or its document is parsed; `whole`: until everything is loaded. Then it waits a
 * moment for the load event, because many pages build their controls in it.
 */
async function shown({ after }: Core, whole: boolean, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + LOADED_MS;
  const ready = (state: DocumentReadyState): boolean => state === "complete" || (state === "interactive" && !whole);
  const empty = (): boolean => !ready(document.readyState) && view().length === 0 && performance.now() < deadline;
  const loading = (): boolean => document.readyState !== "complete" && performance.now() < loadDeadline();
  while (empty() || loading()) {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => after(READY_LOOK_MS, resolve));
  }
}

/** When to look although the document is still loading; in the past for a document that no response brought. */
function loadDeadline(): number {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (navigation?.domContentLoadedEventEnd || navigation?.responseStart || -LOADING_MS) + LOADING_MS;
}
