// The arguments of `eye.state`.

/** The state itself, or a function that returns the current state. */
export type StateSource = object | (() => unknown);

export interface StateOptions {
  /**
   * The shortest time between reports of the person's own changes, in ms; default 50. Changes by calls are reported at
   * once.
   */
  readonly throttle?: number | undefined;
  /** Sets the page to an earlier published state. Without it, agents can save states but not restore them. */
  readonly restore?: ((state: never) => unknown) | undefined;
  /**
   * For a page that changes by itself: `true` checks after every change of the document, a number checks at that
   * interval in ms while the page is visible.
   */
  readonly observe?: boolean | number | undefined;
  /**
   * The page replaces parts of its state and never changes them in place, as Redux and others do: a part that is the
   * same object as before is not looked into.
   */
  readonly immutable?: boolean | undefined;
}
