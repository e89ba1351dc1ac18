// The start button and its menu: every app, found by typing a part of its name.

import type { App, Desk } from "../desk.js";
import { el } from "../el.js";
import { icon, mark } from "../icons.js";
import { popover } from "./popover.js";
import { roving } from "./roving.js";
import { tile } from "./tile.js";

export function startMenu(desk: Desk): { readonly button: HTMLElement; readonly panel: HTMLElement } {
  const button = el(
    "button",
    { id: "start-button", class: "start-button", type: "button", "aria-label": "Start", title: "Start" },
    mark(),
  );
  const search = el("input", {
    class: "field",
    type: "search",
    placeholder: "Find an app",
    "aria-label": "Find an app",
    autocomplete: "off",
    on: { input: () => draw() },
  });
  const list = el("div", { class: "start-apps", role: "group", "aria-label": "Apps" });
  const open = (app: App): void => {
    menu.toggle(false);
    desk.open(app.id);
  };
  const matching = (): readonly App[] => {
    const wanted = search.value.trim().toLowerCase();
    return desk.apps.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(wanted));
  };
  const draw = (): void => {
    const found = matching();
    list.replaceChildren(
      ...(found.length > 0
        ? found.map((app) => entry(app, () => open(app)))
        : [el("p", { class: "empty" }, "No app of that name")]),
    );
  };
  search.addEventListener("keydown", (event) => {
    const [first] = matching();
    if (event.key === "Enter" && first !== undefined) open(first);
    else if (event.key === "ArrowDown") list.querySelector<HTMLElement>("button")?.focus();
    else return;
    event.preventDefault();
  });
  const arrange = el(
    "button",
    { class: "button", type: "button", on: { click: () => (menu.toggle(false), desk.stack.arrange("tile")) } },
    "Tidy windows",
  );
  const person = el(
    "footer",
    { class: "start-person" },
    el("span", { class: "avatar" }, icon("user")),
    el("b", {}, desk.user),
    arrange,
  );
  const opened = (): HTMLElement => {
    search.value = "";
    draw();
    return search;
  };
  const menu = popover(
    button,
    { id: "start-menu", label: "Start", role: "dialog" },
    opened,
    el("label", { class: "search" }, icon("search"), search),
    list,
    person,
  );
  roving(list, "button");
  return { button, panel: menu.panel };
}

function entry(app: App, open: () => void): HTMLElement {
  return el(
    "button",
    {
      class: "start-app",
      type: "button",
      "data-app": app.id,
      "aria-label": app.name,
      "aria-description": app.about,
      on: { click: open },
    },
    tile(app),
    el("span", { class: "start-words" }, el("b", {}, app.name), el("small", {}, app.about)),
  );
}
