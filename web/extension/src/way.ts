// How the extension reaches the documents of a tab: by the debugger, or by its own scripts where it was not given that
// permission. Both speak the words of the DevTools protocol.

import type { Params } from "./guard.js";

/** A tab, or a frame of another site in one. */
export interface Place {
  readonly tabId?: number;
  readonly sessionId?: string;
}

export interface Way {
  /** It has no debugger: what a hub may ask of such a tab is less. */
  readonly scripted: boolean;
  /**
   * Begins with a tab, in which documents of some origins are granted, and gives its name, which lasts as long as the
   * tab. `undefined`: it has none.
   */
  attach(tabId: number, may: (origin: string) => boolean): Promise<string | undefined>;
  detach(tabId: number): Promise<void>;
  send(place: Place, method: string, params: Params): Promise<object>;
  /** Puts the mark into the title of the tab's page, or takes it out, before anything that is sent after that. */
  mark(tabId: number, marked: boolean): void;
}

/** What a way tells. */
export interface Listener {
  happened(source: Place, method: string, params: object): void;
  /** The browser ended it. */
  detached(tabId: number | undefined, why: string): void;
}

/** The person ended it in the browser's own bar. */
export const CANCELED = "canceled_by_user";
/** The tab was closed. */
export const CLOSED = "target_closed";
/** The tab went where the browser gives the extension no access. */
export const NO_ACCESS = "no_access";
