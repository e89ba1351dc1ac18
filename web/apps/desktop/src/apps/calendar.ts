// Calendar: a month, and the notes of its days. The notes are in the file `calendar.json`, so that agents can edit
// them.

import type { App, Desk } from "../desk.js";
import { el } from "../el.js";
import { calendarLeaf, icon } from "../icons.js";
import { isoDay } from "./words.js";

const FILE = "calendar.json";
const DAYS = 7;

type Notes = Readonly<Record<string, readonly string[]>>;

export const calendar: App = {
  id: "calendar",
  name: "Calendar",
  icon: "📅",
  about: "The month, and what is in it",
  size: { width: 620, height: 440 },
  glyph: () => calendarLeaf(new Date()),
  open(desk, window) {
    let month = firstOf(new Date());
    let chosen = isoDay(new Date());
    const heading = el("h2", { class: "month", "aria-live": "polite" });
    const grid = el("div", {
      class: "days",
      role: "group",
      "aria-label": "Days",
      on: { keydown: (event) => keyed(event) },
    });
    const list = el("ul", { class: "day-notes" });
    const dayName = el("h3", {});
    const field = el("input", {
      class: "field",
      placeholder: "Add a note",
      "aria-label": "Note for this day",
      autocomplete: "off",
    });

    const draw = (): void => {
      const notes = read(desk);
      heading.replaceChildren(
        `${month.toLocaleDateString([], { month: "long" })} `,
        el("span", {}, String(month.getFullYear())),
      );
      grid.replaceChildren(
        ...weekdays(),
        ...daysAround(month).map((day) => cell(day, month, chosen, notes[isoDay(day)] ?? [], choose)),
      );
      dayName.textContent = new Date(`${chosen}T12:00`).toLocaleDateString([], {
        weekday: "long",
        day: "numeric",
        month: "long",
      });
      const today = notes[chosen] ?? [];
      list.replaceChildren(
        ...today.map((note, at) =>
          noteRow(note, () =>
            write(
              desk,
              chosen,
              today.filter((_, other) => other !== at),
            ),
          ),
        ),
      );
      if (today.length === 0) list.append(el("li", { class: "muted" }, "Nothing noted"));
    };
    const choose = (day: Date): void => {
      chosen = isoDay(day);
      if (day.getMonth() !== month.getMonth()) month = firstOf(day);
      draw();
      grid.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
    };
    const turn = (by: number): void => {
      month = new Date(month.getFullYear(), month.getMonth() + by, 1);
      draw();
    };
    const keyed = (event: KeyboardEvent): void => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -DAYS, ArrowDown: DAYS }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      const day = new Date(`${chosen}T12:00`);
      day.setDate(day.getDate() + by);
      choose(day);
    };
    const add = (event: Event): void => {
      event.preventDefault();
      const note = field.value.trim();
      if (note === "") return;
      field.value = "";
      write(desk, chosen, [...(read(desk)[chosen] ?? []), note]);
    };

    window.title("Calendar");
    draw();
    const bar = el(
      "div",
      { class: "toolbar" },
      heading,
      arrow("left", "Month before", () => turn(-1)),
      el("button", { class: "button", type: "button", on: { click: () => choose(new Date()) } }, "Today"),
      arrow("right", "Next month", () => turn(1)),
    );
    const side = el("aside", { class: "day" }, dayName, list, el("form", { on: { submit: add } }, field));
    return {
      content: el("div", { class: "calendar" }, el("div", { class: "calendar-month" }, bar, grid), side),
      closed: desk.files.onChange(draw),
    };
  },
};

function arrow(name: "left" | "right", label: string, pressed: () => void): HTMLElement {
  return el(
    "button",
    { class: "icon-button", type: "button", "aria-label": label, on: { click: pressed } },
    icon(name),
  );
}

function cell(
  day: Date,
  month: Date,
  chosen: string,
  notes: readonly string[],
  choose: (day: Date) => void,
): HTMLElement {
  const iso = isoDay(day);
  const classes = [
    "day-cell",
    day.getMonth() === month.getMonth() ? "" : "is-outside",
    iso === isoDay(new Date()) ? "is-today" : "",
    notes.length > 0 ? "has-notes" : "",
  ];
  const label =
    day.toLocaleDateString([], { day: "numeric", month: "long" }) + (notes.length > 0 ? `, ${notes.join(", ")}` : "");
  return el(
    "button",
    {
      class: classes.filter((name) => name !== "").join(" "),
      type: "button",
      "aria-pressed": String(iso === chosen),
      "aria-current": iso === isoDay(new Date()) ? "date" : undefined,
      "aria-label": label,
      tabindex: iso === chosen ? 0 : -1,
      "data-day": iso,
      on: { click: () => choose(day) },
    },
    String(day.getDate()),
  );
}

function noteRow(note: string, remove: () => void): HTMLElement {
  return el(
    "li",
    {},
    el("span", {}, note),
    el(
      "button",
      { class: "icon-button", type: "button", "aria-label": `Remove ${note}`, on: { click: remove } },
      icon("close"),
    ),
  );
}

function weekdays(): readonly HTMLElement[] {
  // A week that begins on a Monday.
  return Array.from({ length: DAYS }, (_, day) =>
    el(
      "span",
      { class: "weekday", "aria-hidden": true },
      new Date(2024, 0, 1 + day).toLocaleDateString([], { weekday: "narrow" }),
    ),
  );
}

/** The days of all weeks that contain a day of the month. */
export function daysAround(month: Date): readonly Date[] {
  const before = (month.getDay() + DAYS - 1) % DAYS;
  const inMonth = new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate();
  const count = Math.ceil((before + inMonth) / DAYS) * DAYS;
  return Array.from({ length: count }, (_, at) => new Date(month.getFullYear(), month.getMonth(), 1 - before + at));
}

function firstOf(day: Date): Date {
  return new Date(day.getFullYear(), day.getMonth(), 1);
}

/** Entries of the file that are not lists of notes are left out. */
function read(desk: Desk): Notes {
  try {
    const notes = Object.entries(JSON.parse(desk.files.get(FILE)) as Record<string, unknown>);
    return Object.fromEntries(notes.flatMap(([day, list]) => (Array.isArray(list) ? [[day, list.map(String)]] : [])));
  } catch {
    return {};
  }
}

function write(desk: Desk, day: string, notes: readonly string[]): void {
  const { [day]: _, ...rest } = read(desk);
  desk.files.save(FILE, `${JSON.stringify(notes.length > 0 ? { ...rest, [day]: notes } : rest, null, 2)}\n`);
}
