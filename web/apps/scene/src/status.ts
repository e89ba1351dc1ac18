// Shows whether a hub is connected, and the session under which agents reach this page.

import type { Eye } from "./eye.js";

const LOOK_EVERY_MS = 1000;

/** The client has no event for it, so a visible page polls; a hidden one does not. */
export function showStatus(place: HTMLElement, eye: Pick<Eye, "connected" | "session"> | undefined): void {
  if (eye === undefined) return;
  let timer: number | undefined;
  const look = (): void => {
    const text = eye.connected ? `connected · session ${eye.session}` : "not connected";
    if (place.textContent === text) return;
    place.textContent = text;
    place.dataset.connected = String(eye.connected);
  };
  const turn = (): void => {
    clearInterval(timer);
    timer = document.hidden ? undefined : window.setInterval(look, LOOK_EVERY_MS);
    look();
  };
  document.addEventListener("visibilitychange", turn);
  turn();
}
