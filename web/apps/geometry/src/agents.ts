// The area agents of this page as they tell of themselves: over the backend's line, or over their topics after a reload. Bounded.

import type { AgentEvent, AgentRow } from "./backends/backends.js";

const AGENTS_MAX = 64;
const EARLY_MAX = 32;
const STATUSES: readonly unknown[] = ["spawned", "running", "paused", "stopped", "finished", "error"];
/** How an agent is that has told of this. */
const ENDINGS: Readonly<Record<string, string>> = { ended: "finished", finished: "finished", stopped: "stopped", error: "error" };

export interface AgentNow extends AgentRow {
  readonly heartbeats: number;
  /** When it last told anything, in ms of the calendar. */
  readonly heardAt: number | undefined;
  /** What it found last. */
  readonly report: unknown;
}

export class Agents {
  #all: readonly AgentNow[] = [];
  /** A quick agent tells of itself before the reply that names it has arrived. */
  #early: { readonly event: AgentEvent; readonly at: number }[] = [];
  readonly #watchers = new Set<() => void>();

  get all(): readonly AgentNow[] {
    return this.#all;
  }

  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  spawned(row: AgentRow): void {
    const before = this.#all.find(({ agentId }) => agentId === row.agentId);
    const now: AgentNow = { heartbeats: 0, heardAt: undefined, report: undefined, ...before, ...row };
    this.#all = [...this.#all.filter((agent) => agent !== before), now].slice(-AGENTS_MAX);
    this.#changed();
    const early = this.#early;
    this.#early = [];
    for (const { event, at } of early) this.heard(event, at);
  }

  turned(agentId: string, status: string): void {
    this.#update(agentId, (agent) => ({ ...agent, status }));
  }

  /** Agents of other pages tell of themselves on the same topics: nobody ever names them here. */
  heard(told: AgentEvent, at: number): void {
    const { agentId, event, status, ...more } = told;
    if (!this.#all.some((agent) => agent.agentId === agentId)) {
      this.#early = [...this.#early, { event: told, at }].slice(-EARLY_MAX);
      return;
    }
    this.#update(agentId, (agent) => ({
      ...agent,
      status: STATUSES.includes(status) ? String(status) : (ENDINGS[event] ?? agent.status),
      heartbeats: agent.heartbeats + (event === "heartbeat" ? 1 : 0),
      heardAt: at,
      report: event === "report" ? (more["report"] ?? more["data"] ?? more) : agent.report,
    }));
  }

  #update(agentId: string, change: (agent: AgentNow) => AgentNow): void {
    if (!this.#all.some((agent) => agent.agentId === agentId)) return;
    this.#all = this.#all.map((agent) => (agent.agentId === agentId ? change(agent) : agent));
    this.#changed();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
