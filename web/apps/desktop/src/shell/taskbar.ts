// The bar at the bottom: start button, open windows, activity light, clock.

import type { Desk } from "../desk.js";
import { el } from "../el.js";
import type { Frame } from "./frame.js";
import { light } from "./light.js";
import { roving } from "./roving.js";
import { startMenu } from "./start-menu.js";
import { tile } from "./tile.js";
import { now } from "./time.js";

export function taskbar(desk: Desk): readonly HTMLElement[] {
  const start = startMenu(desk);
  const lamp = light(desk);
  const running = el("div", { class: "tasks", role: "toolbar", "aria-label": "Open windows" });
  const time = el("time", { class: "clock" });
  const tasks = new Map<number, HTMLButtonElement>();

  const draw = (): void => {
    const frames = desk.stack.frames;
    for (const [id, task] of tasks) {
      if (desk.stack.get(id) !== undefined) continue;
      task.remove();
      tasks.delete(id);
    }
    for (const frame of frames) {
      const task = tasks.get(frame.id) ?? newTask(desk, frame);
      if (!tasks.has(frame.id)) running.append(task);
      tasks.set(frame.id, task);
      task.title = frame.title;
      const words = task.querySelector(".task-title");
      if (words !== null && words.textContent !== frame.title) words.textContent = frame.title;
      task.setAttribute("aria-pressed", String(frame === desk.stack.active));
      task.classList.toggle("is-minimized", frame.minimized);
    }
  };
  desk.stack.onChange(draw);
  roving(running, ".task");
  now((date) => {
    time.dateTime = date.toISOString();
    time.replaceChildren(
      el("b", {}, date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })),
      el("span", {}, date.toLocaleDateString([], { day: "numeric", month: "short" })),
    );
  });
  const bar = el("footer", { class: "taskbar", "aria-label": "Taskbar" }, start.button, running, lamp.button, time);
  return [bar, start.panel, lamp.panel];
}

/** A button for a window: a press brings the window to the front, or minimises the active one. */
function newTask(desk: Desk, frame: Frame): HTMLButtonElement {
  const press = (): void => {
    if (desk.stack.active === frame) desk.stack.minimise(frame);
    else desk.stack.focus(frame);
  };
  return el(
    "button",
    { class: "task", type: "button", "data-window": frame.id, on: { click: press } },
    tile(frame.app),
    el("span", { class: "task-title" }),
  );
}
