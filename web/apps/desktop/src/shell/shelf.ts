// The icons on the desktop.

import type { Desk } from "../desk.js";
import { el } from "../el.js";
import { roving } from "./roving.js";
import { tile } from "./tile.js";

export function shelf(desk: Desk): HTMLElement {
  const badge = el("span", { class: "badge", hidden: true });
  const icons = desk.apps.map((app) =>
    el(
      "button",
      { class: "desktop-icon", type: "button", "data-app": app.id, on: { click: () => desk.open(app.id) } },
      tile(app),
      el("span", { class: "desktop-icon-label" }, app.name),
      app.id === "chat" && badge,
    ),
  );
  desk.chat.onChange(() => {
    badge.hidden = desk.chat.unread === 0;
    badge.textContent = String(desk.chat.unread);
    badge.setAttribute("aria-label", `${String(desk.chat.unread)} unread`);
  });
  const shelf = el("nav", { class: "shelf", "aria-label": "Apps" }, ...icons);
  // After it is in the document: items without a position are not in the order.
  queueMicrotask(() => roving(shelf, ".desktop-icon"));
  return shelf;
}
