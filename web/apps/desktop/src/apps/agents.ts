// Agents: the calls of agents in this page since it was opened, and the switch that pauses them.

import type { App } from "../desk.js";
import { el } from "../el.js";
import { eye } from "../eye.js";
import { icon } from "../icons.js";
import { pauseSwitch } from "../agents/switch.js";
import { callRow, oncePerFrame } from "./calls.js";

export const agents: App = {
  id: "agents",
  name: "Agents",
  icon: "⚡",
  about: "What agents did on this desktop",
  size: { width: 540, height: 420 },
  glyph: () => icon("agents"),
  open(desk) {
    const total = figure("calls");
    const failed = figure("failed");
    const running = figure("running");
    const list = el("ol", { class: "calls", tabindex: 0, "aria-label": "Calls, the last first" });
    const session = el("span", { class: "muted" });
    const draw = (): void => {
      const { calls } = desk.activity;
      total.value(desk.activity.total);
      failed.value(calls.filter(({ outcome }) => outcome === "failed").length);
      running.value(desk.activity.running);
      list.replaceChildren(
        ...(calls.length > 0
          ? calls.map(callRow)
          : [
              el(
                "li",
                { class: "empty" },
                el("b", {}, "No agent has called yet"),
                el("p", {}, "Try, in a terminal"),
                el("code", {}, "eye document.title"),
              ),
            ]),
      );
      session.textContent = desk.activity.linked ? `session ${eye()?.session ?? ""}` : "no hub";
    };
    draw();
    const { element, end } = pauseSwitch(desk.pause);
    const ends = [end, desk.activity.onCall(oncePerFrame(draw)), desk.activity.onLink(draw)];
    const head = el("div", { class: "figures" }, total.element, running.element, failed.element, element);
    return {
      content: el("div", { class: "agents" }, head, list, el("footer", { class: "statusbar" }, session)),
      closed: () => ends.forEach((stop) => stop()),
    };
  },
};

function figure(name: string): { readonly element: HTMLElement; value(n: number): void } {
  const number = el("b", {}, "0");
  return {
    element: el("span", { class: "figure" }, number, name),
    value: (n) => (number.textContent = n.toLocaleString("en")),
  };
}
