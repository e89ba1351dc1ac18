// Replaces pointer capture while an element is dragged without real input. Runs in the page's own world.

import type { Capture } from "../core/part.js";
import { viewOf } from "./pointer.js";

const MOUSE = 1;

/**
 * Browsers refuse to capture a mouse that is not really pressed, so during a synthetic drag these methods are replaced.
 */
export function capture(within: Element): Capture {
  const view = viewOf(within);
  const { prototype } = view.Element;
  const { setPointerCapture, releasePointerCapture, hasPointerCapture } = prototype;
  let held: Element | undefined;
  const hold = (element: Element | undefined): void => {
    const before = held;
    held = element;
    before?.dispatchEvent(new view.PointerEvent("lostpointercapture", { bubbles: true, pointerId: MOUSE }));
    element?.dispatchEvent(new view.PointerEvent("gotpointercapture", { bubbles: true, pointerId: MOUSE }));
  };
  const isHeld = (element: Element): boolean => held === element;
  Object.assign(prototype, {
    setPointerCapture(this: Element) {
      hold(this);
    },
    releasePointerCapture(this: Element) {
      if (isHeld(this)) hold(undefined);
    },
    hasPointerCapture(this: Element) {
      return isHeld(this);
    },
  });
  return {
    element: () => held,
    end() {
      hold(undefined);
      Object.assign(prototype, { setPointerCapture, releasePointerCapture, hasPointerCapture });
    },
  };
}
