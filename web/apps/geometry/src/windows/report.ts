// An agent's finding as lines for a person: a name and a value each, numbers short, objects in one line.

import { el } from "../../../desktop/src/el.js";
import { clip } from "../clip.js";

const VALUE_CHARS_MAX = 80;

/** Names and values of a report, in its order. */
export function reportLines(report: unknown): readonly (readonly [string, string])[] {
  if (typeof report !== "object" || report === null) return [["report", shown(report)]];
  return Object.entries(report).map(([name, value]) => [spaced(name), shown(value)]);
}

export function reportList(report: unknown): HTMLElement {
  const lines = reportLines(report);
  return el("dl", { class: "report" }, ...lines.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/** `uniqueColors` is "unique colors". */
function spaced(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}

function shown(value: unknown): string {
  if (typeof value === "number") return String(Math.round(value * 1e4) / 1e4);
  if (typeof value === "string") return clip(value, VALUE_CHARS_MAX);
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Object.entries(value).map(([name, part]) =>
    Array.isArray(value) ? shown(part) : `${spaced(name)} ${shown(part)}`,
  );
  return clip(parts.join(", "), VALUE_CHARS_MAX);
}
