// The desktop's keys: Escape and Ctrl+W close a window if the browser permits, F6 goes to the next one.

import type { Stack } from "./stack.js";

export function keys(stack: Stack): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape") escape(stack, event);
    else if (
      event.key.toLowerCase() === "w" &&
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      stack.active !== undefined
    )
      stack.active.leave();
    else if (event.key === "F6") stack.cycle();
    else return;
    event.preventDefault();
  });
}

/** In a field, moves the focus to its window; in a window, closes the window. */
function escape(stack: Stack, { target }: KeyboardEvent): void {
  const { active } = stack;
  if (active === undefined) return;
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) active.element.focus();
  else active.leave();
}
