// Restores this tab's windows after a reload: which, where, and in which order. Unsaved text is not kept.

import type { Desk } from "../desk.js";
import type { Rect } from "../geometry.js";

interface Kept {
  readonly app: string;
  readonly argument?: string | undefined;
  readonly rect: Rect;
  readonly minimized: boolean;
  readonly maximized: boolean;
}

const KEY = "desktop.windows";

/** Restores the previous windows, and stores the current ones when the page is left. */
export function remember(desk: Desk, keep: Storage | undefined): void {
  for (const one of restored(keep)) bringBack(desk, one);
  addEventListener("pagehide", () => {
    const windows: Kept[] = desk.stack.order.map(({ app, argument, rect, minimized, maximized }) => ({
      app: app.id,
      argument,
      rect,
      minimized,
      maximized,
    }));
    keep?.setItem(KEY, JSON.stringify(windows));
  });
}

function bringBack(desk: Desk, { app, argument, rect, minimized, maximized }: Kept): void {
  const frame = desk.open(app, argument);
  if (frame === undefined) return;
  frame.move(rect);
  frame.maximise(maximized);
  if (minimized) desk.stack.minimise(frame);
}

/** Stored entries of another kind or version are ignored. */
function restored(keep: Storage | undefined): readonly Kept[] {
  try {
    const kept = JSON.parse(keep?.getItem(KEY) ?? "[]") as unknown;
    return Array.isArray(kept)
      ? kept.filter(
          (one): one is Kept => typeof (one as Kept | null)?.app === "string" && typeof (one as Kept).rect === "object",
        )
      : [];
  } catch {
    return [];
  }
}
