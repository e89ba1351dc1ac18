// Highlights an element for the person at the page: a frame above everything that takes no clicks, is hidden from
// agents, and disappears by itself.

import { HIGHLIGHT_MS, HIGHLIGHT_MS_MAX } from "../core/limits.js";
import { misused } from "../page/verb.js";

const NAME = "eye-highlight";
const AROUND_PX = 3;

let leave: (() => void) | undefined;

/** Without an element, the current frame is removed. */
export function highlight(element: Element | undefined, ms: unknown = HIGHLIGHT_MS): void {
  if (!(typeof ms === "number" && ms >= 0 && ms <= HIGHLIGHT_MS_MAX))
    throw misused(`ms is a time in ms, at most ${HIGHLIGHT_MS_MAX}`);
  leave?.();
  if (element === undefined) return;
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
  const { ownerDocument } = element;
  const frame = ownerDocument.createElement(NAME);
  frame.ariaHidden = "true";
  frame.inert = true;
  frame.popover = "manual";
  Object.assign(frame.style, {
    all: "initial",
    position: "fixed",
    inset: "auto",
    margin: "0",
    boxSizing: "border-box",
    border: "2px solid #0b8a6c",
    borderRadius: "4px",
    background: "rgb(11 138 108 / 14%)",
    boxShadow: "0 0 0 2px rgb(255 255 255 / 80%)",
    pointerEvents: "none",
    zIndex: "2147483647",
  });
  const follow = (): void => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const px = (value: number): string => `${value}px`;
    Object.assign(frame.style, {
      left: px(left - AROUND_PX),
      top: px(top - AROUND_PX),
      width: px(width + 2 * AROUND_PX),
      height: px(height + 2 * AROUND_PX),
    });
  };
  let turn = 0;
  const go = (): void => {
    follow();
    turn = requestAnimationFrame(go);
  };
  ownerDocument.documentElement.append(frame);
  // A popover is above open dialogs, too.
  frame.showPopover();
  go();
  const timer = setTimeout(() => leave?.(), ms);
  leave = () => {
    leave = undefined;
    clearTimeout(timer);
    cancelAnimationFrame(turn);
    frame.remove();
  };
}
