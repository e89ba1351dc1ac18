// The activity light: blinks with every call of an agent, lists the last calls, and lets the person pause agents.

import { callRow, oncePerFrame } from "../apps/calls.js";
import { pauseSwitch } from "../agents/switch.js";
import type { Desk } from "../desk.js";
import { el } from "../el.js";
import { popover } from "./popover.js";

const SHOWN_LEN_MAX = 6;

export function light(desk: Desk): { readonly button: HTMLElement; readonly panel: HTMLElement } {
  const { activity, pause } = desk;
  const words = el("span", { class: "light-words" });
  const dot = el("span", { class: "light-dot" });
  const button = el("button", { id: "activity-light", class: "light", type: "button" }, dot, words);
  const list = el("ol", { class: "calls" });
  const { element: pauseButton } = pauseSwitch(pause);
  const all = el(
    "button",
    { class: "button", type: "button", on: { click: () => (popped.toggle(false), desk.open("agents")) } },
    "Show all",
  );
  const about = el("span", { class: "muted" });
  const popped = popover(
    button,
    { id: "activity", label: "What agents do", role: "dialog" },
    () => pauseButton,
    pauseButton,
    list,
    el("footer", {}, about, all),
  );

  const draw = (): void => {
    const status = pause.on ? "paused" : activity.linked ? "on" : "off";
    button.dataset.status = status;
    words.textContent = { paused: "Paused", on: "Agents", off: "No hub" }[status];
    // The name does not contain the count: an agent that reads the page would see its own call in it.
    button.setAttribute(
      "aria-label",
      { paused: "Activity: agents are paused", on: "Activity", off: "Activity: no hub" }[status],
    );
    about.textContent = `${activity.total.toLocaleString("en")} ${activity.total === 1 ? "call" : "calls"}`;
    const last = activity.calls.slice(0, SHOWN_LEN_MAX);
    list.replaceChildren(
      ...(last.length > 0 ? last.map(callRow) : [el("li", { class: "empty" }, "No agent has called yet")]),
    );
  };
  const drawSoon = oncePerFrame(draw);
  const blinkSoon = oncePerFrame(() => blink(dot));
  activity.onCall((call) => {
    if (call.ms === undefined) blinkSoon();
    drawSoon();
  });
  pause.onChange(draw);
  activity.onLink(draw);
  draw();
  return { button, panel: popped.panel };
}

/** Restarts the animation, so that every visible call is a blink. */
function blink(dot: HTMLElement): void {
  dot.getAnimations().forEach((animation) => animation.cancel());
  dot.animate(
    [
      { boxShadow: "0 0 0 0 var(--light)", filter: "brightness(1.6)" },
      { boxShadow: "0 0 0 9px transparent", filter: "none" },
    ],
    { duration: 600, easing: "ease-out" },
  );
}
