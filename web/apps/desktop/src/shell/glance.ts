// The text on the wallpaper: the time in large letters, and the first command for an agent to try.

import { el } from "../el.js";
import { now } from "./time.js";

export function glance(): HTMLElement {
  const time = el("span", { class: "glance-time" });
  const day = el("span", { class: "glance-day" });
  now((date) => {
    time.textContent = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    day.textContent = date.toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
  });
  return el("div", { class: "glance", "aria-hidden": true }, time, day);
}
