// A short message in the corner, for a few seconds.

import { el } from "../el.js";

const SHOWN_MS = 6_000;
const SHOWN_LEN_MAX = 3;

export class Toasts {
  readonly element = el("div", { class: "toasts", role: "status", "aria-live": "polite" });

  show(title: string, text: string): void {
    const toast = el("div", { class: "toast" }, el("b", {}, title), el("p", {}, text));
    this.element.append(toast);
    while (this.element.childElementCount > SHOWN_LEN_MAX) this.element.firstElementChild?.remove();
    setTimeout(() => toast.remove(), SHOWN_MS);
  }
}
