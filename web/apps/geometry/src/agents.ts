// The area agents of this page, from their own events: over the backend's connection, or over their topics after a
// reload. Bounded.

import type { AgentEvent, AgentRow } from "./backends/backends.js";
import { readReport } from "./backends/replies.js";

const AGENTS_MAX = 64;
const EARLY_MAX = 32;
const STATUSES: readonly unknown[] = ["spawned", "running", "paused", "stopped", "finished", "error"];
/** The status of an agent after its final event. */
const ENDINGS: Readonly<Record<string, string>> = {
  ended: "finished",
  finished: "finished",
  stopped: "stopped",
  error: "error",
};

export interface AgentNow extends AgentRow {
  readonly heartbeats: number;
  /** Time of its last event, Unix time in milliseconds. */
  readonly heardAt: number | undefined;
}

const OVER: readonly string[] = ["stopped", "finished", "error"];

export function isAlive({ status }: AgentNow): boolean {
  return !OVER.includes(status);
}

export class Agents {
  #all: readonly AgentNow[] = [];
  /** A fast agent may send events before the reply with its id has arrived. */
  #early: { readonly event: AgentEvent; readonly at: number }[] = [];
  readonly #watchers = new Set<() => void>();

  get all(): readonly AgentNow[] {
    return this.#all;
  }

  knows(agentId: string): boolean {
    return this.#all.some((agent) => agent.agentId === agentId);
  }

  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  spawned(row: AgentRow): void {
    const before = this.#all.find(({ agentId }) => agentId === row.agentId);
    const now: AgentNow = { heartbeats: 0, heardAt: undefined, ...before, ...row };
    this.#all = [...this.#all.filter((agent) => agent !== before), now].slice(-AGENTS_MAX);
    this.#changed();
    const early = this.#early;
    this.#early = [];
    for (const { event, at } of early) this.heard(event, at);
  }

  turned(agentId: string, status: string): void {
    this.#update(agentId, (agent) => ({ ...agent, status }));
  }

  /** Agents of other pages publish on the same topics; their events are ignored here. */
  heard(told: AgentEvent, at: number): void {
    const { agentId, event, status } = told;
    if (!this.knows(agentId)) {
      this.#early = [...this.#early, { event: told, at }].slice(-EARLY_MAX);
      return;
    }
    this.#update(agentId, (agent) => ({
      ...agent,
      status: STATUSES.includes(status) ? String(status) : (ENDINGS[event] ?? agent.status),
      heartbeats: agent.heartbeats + (event === "heartbeat" ? 1 : 0),
      heardAt: at,
      ...(event === "report" && { report: readReport(told) }),
      ...(status === "error" && typeof told.reason === "string" && { error: told.reason }),
    }));
  }

  #update(agentId: string, change: (agent: AgentNow) => AgentNow): void {
    if (!this.knows(agentId)) return;
    this.#all = this.#all.map((agent) => (agent.agentId === agentId ? change(agent) : agent));
    this.#changed();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
