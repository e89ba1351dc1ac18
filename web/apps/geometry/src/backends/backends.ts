// The backends that the tools need: evolution, a language model, area agents. Real and mock backends have the same
// interface.

import type { Rect } from "../map/pixel-map.js";

/** The tool call that a backend request belongs to. */
export interface Doing {
  readonly signal: AbortSignal;
  progress(progress: number, total?: number, message?: string): void;
}

export interface EvolutionWish {
  readonly seed_shader: string;
  readonly generations: number;
  readonly fitness_metric: string;
  readonly mutation_rate: number;
  readonly population_size: number;
  readonly target_shader?: string;
  readonly seed?: number;
}

export interface Evolved {
  readonly bestFitness: number;
  readonly generationsCompleted: number;
  readonly evolvedShader: string;
  readonly cartridgeId: string | null;
  /** All other members of the backend's reply. */
  readonly [more: string]: unknown;
}

export interface PromptWish {
  readonly prompt: string;
  readonly model: string;
  readonly temperature: number;
  readonly max_tokens: number;
  readonly system_prompt?: string;
}

export interface Prompted {
  readonly response: string;
  readonly model: string;
  readonly tokensUsed: { readonly prompt: number; readonly completion: number; readonly total: number };
}

export interface AgentWish {
  readonly agent_type: string;
  readonly region: Rect;
  readonly config: Readonly<Record<string, unknown>>;
  readonly auto_start: boolean;
}

export interface Spawned {
  readonly agentId: string;
  readonly status: string;
  readonly region: Rect;
  readonly heartbeatInterval: number;
}

/** An event of an agent. */
export interface AgentEvent {
  readonly agentId: string;
  readonly event: string;
  readonly [more: string]: unknown;
}

/** An agent as the backend lists it. */
export interface AgentRow extends Spawned {
  readonly agentType: string;
  /** Its last finding. */
  readonly report?: unknown;
  /** Why it failed, if it did. */
  readonly error?: string;
}

export type AgentOrder = "pause" | "resume" | "stop";

/** Every method throws `Failure`. */
export interface Backends {
  readonly mock: boolean;
  evolve(wish: EvolutionWish, doing: Doing): Promise<Evolved>;
  prompt(wish: PromptWish, doing: Doing): Promise<Prompted>;
  spawn(wish: AgentWish, doing: Doing): Promise<Spawned>;
  /** Sends an order to an agent; returns its new status. */
  order(agentId: string, order: AgentOrder): Promise<string>;
  /** One agent, with all members of the backend's reply. */
  agent(agentId: string): Promise<object>;
  /** This session's agents, including those from before a reload. */
  agents(): Promise<readonly AgentRow[]>;
  /** Calls back with the events that agents send over the backend's connection. */
  onAgentEvent(heard: (event: AgentEvent) => void): void;
}
