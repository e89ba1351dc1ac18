// What the tools need that is not in the page: evolution, a language model, area agents. Real ones and mocks look
// alike.

import type { Rect } from "../map/pixel-map.js";

/** The call that something is done for. */
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
  /** Whatever else the backend says of it. */
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
  /** Seconds. */
  readonly heartbeatInterval: number;
}

/** What an agent tells of itself. */
export interface AgentEvent {
  readonly agentId: string;
  readonly event: string;
  readonly [more: string]: unknown;
}

/** An agent as the backend lists it. */
export interface AgentRow extends Spawned {
  readonly agentType: string;
  /** What it found last. */
  readonly report?: unknown;
  /** Why it ended, where that was a failure. */
  readonly error?: string;
}

export type AgentOrder = "pause" | "resume" | "stop";

/** Every method throws `Failure`. */
export interface Backends {
  readonly mock: boolean;
  evolve(wish: EvolutionWish, doing: Doing): Promise<Evolved>;
  prompt(wish: PromptWish, doing: Doing): Promise<Prompted>;
  spawn(wish: AgentWish, doing: Doing): Promise<Spawned>;
  /** Tells an agent what to do; gives its new status. */
  order(agentId: string, order: AgentOrder): Promise<string>;
  /** One agent, with all that the backend tells of it. */
  agent(agentId: string): Promise<object>;
  /** This session's agents, those of before a reload too. */
  agents(): Promise<readonly AgentRow[]>;
  /** Calls back with what agents tell over the backend's own line. */
  onAgentEvent(heard: (event: AgentEvent) => void): void;
}
