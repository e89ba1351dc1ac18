// The area agents: status, last event and finding of each; buttons to pause, resume and stop them, and a form to spawn
// more.

import { el } from "../../../desktop/src/el.js";
import { isAlive, type AgentNow, type Agents } from "../agents.js";
import type { AgentOrder } from "../backends/backends.js";
import { AGENT_TYPES } from "../tools/agent.js";
import { reportList } from "./report.js";

export interface AgentHands {
  spawn(type: string): void;
  order(agentId: string, order: AgentOrder): void;
  show(agent: AgentNow): void;
}

export class AgentsPanel {
  readonly #list = el("ul", { class: "cards" });
  readonly content: HTMLElement;

  constructor(
    readonly agents: Agents,
    readonly hands: AgentHands,
  ) {
    const type = el(
      "select",
      { class: "field", name: "type", "aria-label": "Kind of agent" },
      ...AGENT_TYPES.map((name) => el("option", { value: name }, name)),
    );
    const form = el("form", { class: "line" }, type, el("button", { class: "button" }, "Spawn on this view"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      hands.spawn(type.value);
    });
    this.content = el("div", { class: "stack" }, this.#list, form);
    agents.watch(() => this.show());
    this.show();
  }

  show(): void {
    const { all } = this.agents;
    this.#list.replaceChildren(
      ...(all.length === 0
        ? [el("li", { class: "empty" }, "No agents yet. They work on a region of the map and report.")]
        : all.map((agent) => this.#card(agent)).reverse()),
    );
  }

  #card(agent: AgentNow): HTMLElement {
    const { agentId, agentType, status, region, heartbeats, heardAt, heartbeatInterval, report, error } = agent;
    const order = (name: AgentOrder, label: string): HTMLElement =>
      el(
        "button",
        { type: "button", class: "button small", on: { click: () => this.hands.order(agentId, name) } },
        label,
      );
    const heard =
      heardAt === undefined
        ? `a heartbeat every ${String(heartbeatInterval)} s`
        : `${String(heartbeats)} ${heartbeats === 1 ? "heartbeat" : "heartbeats"}, last heard at ${new Date(heardAt).toLocaleTimeString()}`;
    return el(
      "li",
      { class: "card", "data-agent": agentId },
      el(
        "div",
        { class: "card-head" },
        el("b", {}, agentType),
        el("span", { class: "badge", "data-status": status }, status),
      ),
      el(
        "p",
        { class: "quiet" },
        `${agentId} · ${String(Math.round(region.x))}, ${String(Math.round(region.y))} · ${String(Math.round(region.width))} × ${String(Math.round(region.height))}`,
      ),
      el("p", { class: "quiet" }, heard),
      error !== undefined && el("p", { class: "bad" }, error),
      report !== undefined && reportList(report),
      el(
        "div",
        { class: "line" },
        el("button", { type: "button", class: "button small", on: { click: () => this.hands.show(agent) } }, "Show"),
        status === "running" && order("pause", "Pause"),
        (status === "paused" || status === "spawned") && order("resume", "Start"),
        isAlive(agent) && order("stop", "Stop"),
      ),
    );
  }
}
