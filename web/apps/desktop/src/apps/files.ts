// Files: the contents of the store, folder by folder. A file opens in the notepad.

import type { App, Desk } from "../desk.js";
import { el } from "../el.js";
import type { Entry } from "../files/store.js";
import { icon } from "../icons.js";
import { clock, size } from "./words.js";

export const files: App = {
  id: "files",
  name: "Files",
  icon: "📁",
  about: "Notes and scripts kept in this browser",
  size: { width: 560, height: 400 },
  glyph: () => icon("files"),
  open(desk, window, argument = "") {
    let folder = argument;
    const crumbs = el("nav", { class: "crumbs", "aria-label": "Folder" });
    const list = el("ul", { class: "file-list" });
    const count = el("span", { class: "muted" });
    const go = (path: string): void => {
      folder = path;
      draw();
      list.querySelector("button")?.focus();
    };
    const draw = (): void => {
      const entries = desk.files.list(folder);
      crumbs.replaceChildren(...trail(folder, go));
      list.replaceChildren(
        ...entries.map((entry) =>
          row(entry, entry.type === "directory" ? () => go(entry.path) : () => desk.open("notepad", entry.path)),
        ),
      );
      if (entries.length === 0) list.append(el("li", { class: "empty" }, el("b", {}, "Nothing in here")));
      count.textContent = `${String(entries.length)} ${entries.length === 1 ? "item" : "items"}`;
      window.title(folder === "" ? "Files" : `Files – ${folder}`);
    };
    const fresh = el(
      "button",
      { class: "button", type: "button", on: { click: () => desk.open("notepad", unusedName(desk, folder)) } },
      icon("plus"),
      "New note",
    );
    draw();
    return {
      content: el(
        "div",
        { class: "files" },
        el("div", { class: "toolbar" }, crumbs, fresh),
        list,
        el("footer", { class: "statusbar" }, count),
      ),
      closed: desk.files.onChange(draw),
    };
  },
};

function trail(folder: string, go: (path: string) => void): readonly HTMLElement[] {
  const parts = folder.split("/").filter((part) => part !== "");
  const crumb = (name: string, path: string): HTMLElement =>
    el(
      "button",
      {
        class: "crumb",
        type: "button",
        "aria-current": path === folder ? "location" : undefined,
        on: { click: () => go(path) },
      },
      name,
    );
  return [
    crumb("Home", ""),
    ...parts.flatMap((name, at) => [
      el("span", { class: "crumb-arrow" }, icon("right")),
      crumb(name, parts.slice(0, at + 1).join("/")),
    ]),
  ];
}

function row(entry: Entry, open: () => void): HTMLElement {
  const isFolder = entry.type === "directory";
  return el(
    "li",
    {},
    el(
      "button",
      { class: "file-row", type: "button", "data-path": entry.path, on: { click: open } },
      el("span", { class: isFolder ? "file-icon is-folder" : "file-icon" }, icon(isFolder ? "files" : "file")),
      el("span", { class: "file-name" }, entry.name),
      el("span", { class: "file-size" }, size(entry.size)),
      el("span", { class: "file-time" }, clock(entry.modified)),
    ),
  );
}

function unusedName(desk: Desk, folder: string): string {
  const name = (n: number): string => `${folder === "" ? "" : `${folder}/`}note${n === 1 ? "" : ` ${String(n)}`}.txt`;
  let n = 1;
  while (desk.files.has(name(n)) || desk.stack.find(`notepad:${name(n)}`) !== undefined) n++;
  return name(n);
}
