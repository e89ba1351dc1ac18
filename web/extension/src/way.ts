// The interface for accessing the documents of a tab: through the debugger, or through the extension's own scripts if
// it lacks that permission. Both use the terms of the DevTools protocol.

import type { Params } from "./guard.js";

/** A tab, or a frame of another site in a tab. */
export interface Debuggee {
  readonly tabId?: number;
  readonly sessionId?: string;
}

export interface Way {
  /** Whether it works without the debugger: fewer commands are then possible. */
  readonly scripted: boolean;
  /**
   * Attaches to a tab in which documents of some origins are granted. Returns its name, which is valid as long as the
   * tab exists. `undefined`: it has none.
   */
  attach(tabId: number, may: (origin: string) => boolean): Promise<string | undefined>;
  detach(tabId: number): Promise<void>;
  send(debuggee: Debuggee, method: string, params: Params): Promise<object>;
  /** Adds the mark to the tab's title or removes it, before any command that is sent afterwards. */
  mark(tabId: number, marked: boolean): void;
}

/** Receives events. */
export interface Listener {
  happened(source: Debuggee, method: string, params: object): void;
  /** The browser ended the access. */
  detached(tabId: number | undefined, why: string): void;
}

/** The person ended it in the browser's own bar. */
export const CANCELED = "canceled_by_user";
export const CLOSED = "target_closed";
/** The tab navigated to a page to which the browser gives the extension no access. */
export const NO_ACCESS = "no_access";
