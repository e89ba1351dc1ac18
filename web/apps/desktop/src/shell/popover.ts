// A panel that a button of the bar opens; Escape, the button, and a press elsewhere close it.

import type { Child } from "../el.js";
import { el } from "../el.js";

export interface Popover {
  readonly panel: HTMLElement;
  toggle(open?: boolean): void;
}

/** `opened` runs before the panel is visible, and returns the element to focus. */
export function popover(
  button: HTMLElement,
  { id, label, role }: { readonly id: string; readonly label: string; readonly role: string },
  opened: () => HTMLElement | null,
  ...children: readonly Child[]
): Popover {
  const panel = el("div", { class: "popover", id, role, "aria-label": label, hidden: true }, ...children);
  button.setAttribute("aria-haspopup", role);
  button.setAttribute("aria-controls", id);
  button.setAttribute("aria-expanded", "false");
  const toggle = (open = panel.hidden): void => {
    if (open !== panel.hidden) return;
    const hadKeyboard = panel.contains(document.activeElement);
    panel.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) opened()?.focus({ preventScroll: true });
    else if (hadKeyboard) button.focus();
  };
  button.addEventListener("click", () => toggle());
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    toggle(false);
  });
  addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !panel.contains(target) && !button.contains(target)) toggle(false);
  });
  return { panel, toggle };
}
