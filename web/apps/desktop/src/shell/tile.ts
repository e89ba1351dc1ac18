// The rounded picture of an app, in any size. An agent or a person may replace the picture by characters.

import type { App } from "../desk.js";
import { el } from "../el.js";

const own = new Map<string, string>();
const ICON_CHARS_MAX = 16;

export function tile(app: App): HTMLElement {
  const shown = el("span", { class: "tile", "data-tile": app.id, "aria-hidden": true });
  draw(shown, app);
  return shown;
}

/** Replaces the app's picture by up to 16 characters, everywhere; an empty text restores the picture. */
export function setTile(app: App, characters: string): void {
  if (characters.length > ICON_CHARS_MAX)
    throw new RangeError(`an icon is a character or two, not ${String(characters.length)}`);
  if (characters === "") own.delete(app.id);
  else own.set(app.id, characters);
  for (const shown of document.querySelectorAll<HTMLElement>("[data-tile]"))
    if (shown.dataset.tile === app.id) draw(shown, app);
}

export function iconOf(app: App): string {
  return own.get(app.id) ?? app.icon;
}

function draw(shown: HTMLElement, app: App): void {
  const characters = own.get(app.id);
  shown.replaceChildren(characters === undefined ? app.glyph() : el("span", { class: "tile-text" }, characters));
}
