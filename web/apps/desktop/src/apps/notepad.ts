// Notepad: one text file in one window. Ctrl+S or the button saves it.

import type { App } from "../desk.js";
import { el } from "../el.js";
import { icon } from "../icons.js";
import { clock } from "./words.js";

const UNTITLED = "untitled.txt";

export const notepad: App = {
  id: "notepad",
  name: "Notepad",
  icon: "📝",
  about: "Write something down",
  size: { width: 480, height: 380 },
  glyph: () => icon("notepad"),
  key: (path) => (path === undefined ? "notepad" : `notepad:${path}`),
  open(desk, window, path = UNTITLED) {
    let saved = desk.files.has(path) ? desk.files.get(path) : "";
    const text = el("textarea", {
      class: "note",
      "aria-label": "Text",
      spellcheck: "false",
      placeholder: "Write here",
      on: { input: () => changed() },
    });
    const name = el("input", {
      class: "note-name",
      "aria-label": "File name",
      value: path,
      spellcheck: "false",
      autocomplete: "off",
    });
    const status = el("span", { class: "muted", role: "status" });
    const count = el("span", { class: "muted" });
    text.value = saved;

    const changed = (): void => {
      const isUnsaved = text.value !== saved;
      window.unsaved(isUnsaved);
      if (isUnsaved) status.textContent = "Not saved";
      const words = text.value.split(/\s+/).filter((word) => word !== "").length;
      count.textContent = `${String(words)} ${words === 1 ? "word" : "words"}`;
    };
    const save = (): void => {
      try {
        desk.files.save(name.value, text.value);
        saved = text.value;
        window.title(name.value);
        status.textContent = `Saved ${clock(Date.now())}`;
      } catch (error) {
        status.textContent = error instanceof Error ? error.message : String(error);
      }
      changed();
    };
    const keyed = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      save();
    };
    // An agent may write the same file; without unsaved changes the new text is shown at once.
    const written = (): void => {
      if (text.value !== saved || !desk.files.has(name.value)) return;
      saved = desk.files.get(name.value);
      text.value = saved;
      changed();
    };
    window.title(path);
    changed();
    const bar = el(
      "div",
      { class: "toolbar" },
      name,
      el("button", { class: "button is-primary", type: "button", on: { click: save } }, "Save"),
    );
    const content = el(
      "div",
      { class: "notepad", on: { keydown: keyed } },
      bar,
      text,
      el("footer", { class: "statusbar" }, status, count),
    );
    return { content, first: text, closed: desk.files.onChange(written) };
  },
};
