// The switch that pauses agents, for every place that shows it.

import { el } from "../el.js";
import type { Pause } from "./pause.js";

export function pauseSwitch(pause: Pause): { readonly element: HTMLElement; end(): void } {
  const element = el(
    "button",
    { class: "switch", type: "button", role: "switch", on: { click: () => pause.pauseAgents(!pause.on) } },
    el("span", { class: "switch-words" }, "Agents may act"),
    el("span", { class: "switch-track" }),
  );
  const draw = (): void => {
    element.setAttribute("aria-checked", String(!pause.on));
  };
  draw();
  return { element, end: pause.onChange(draw) };
}
