// What a page says to publish its state.

/** The state itself, or a function that returns it as it is at that moment. */
export type StateSource = object | (() => unknown);

export interface StateOptions {
  /** The person's own changes are told no more often than this (ms, 50 if not said); those of calls at once. */
  readonly throttle?: number | undefined;
  /** Sets the page's state to one that it published before; without it agents can keep states and not restore them. */
  readonly restore?: ((state: never) => unknown) | undefined;
  /**
   * For a page that changes by itself: `true` looks after every change of the document, a number every so many ms while
   * the page is visible.
   */
  readonly observe?: boolean | number | undefined;
  /**
   * The page replaces parts of its state and never changes them in place, as Redux and others do: a part that is the
   * same object as before is not looked into.
   */
  readonly immutable?: boolean | undefined;
}
