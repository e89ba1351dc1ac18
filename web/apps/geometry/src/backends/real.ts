// The backends of a running hub: evolution and area agents over WebSockets, the language model over HTTP.

import { clip } from "../clip.js";
import { failed, isErrorCode, unavailable, Failure } from "../failure.js";
import type {
  AgentEvent,
  AgentOrder,
  AgentRow,
  AgentWish,
  Backends,
  Doing,
  Evolved,
  EvolutionWish,
  Prompted,
  PromptWish,
  Spawned,
} from "./backends.js";
import { fetched } from "./fetched.js";
import { EVOLUTION_MS_MAX, SPAWN_MS_MAX } from "./limits.js";
import { Line, requestId, type Message } from "./line.js";
import {
  readAgents,
  readEvent,
  readEvolved,
  readPrompted,
  readSpawned,
  readStatus,
  withoutEnvelope,
} from "./replies.js";

const EVOLUTION = "Evolution backend";
const AGENTS = "Agent backend";
const COMPLETION_BYTES_MAX = 16 * 1024 * 1024;
/** Statuses of a server whose backend is absent. */
const AWAY: readonly number[] = [404, 502, 503, 504];
const REASON_CHARS_MAX = 300;

export class RealBackends implements Backends {
  readonly mock = false;
  /** Stays open, because agents send events on it. */
  #agents: Promise<Line> | undefined;
  #heard: (event: AgentEvent) => void = () => undefined;

  constructor(
    /** The backends' origin, as `http://host:port`. */
    readonly origin: string,
    /** This page's session at the hub, through which agents see the map. */
    readonly session: () => string | undefined,
  ) {}

  async evolve(wish: EvolutionWish, { signal, progress }: Doing): Promise<Evolved> {
    const line = await Line.open(this.#socketUrl("/evolution"), EVOLUTION);
    const id = requestId("evo");
    try {
      const reply = await line.ask(
        { requestId: id, action: "evolve", ...wish, progress: true },
        {
          msMax: EVOLUTION_MS_MAX,
          late: "Evolution execution timeout (60s)",
          signal,
          cancel: { requestId: id, action: "cancel" },
          progress: (told) => tellProgress(told, progress),
        },
      );
      return readEvolved(reply);
    } finally {
      line.close();
    }
  }

  async prompt({ prompt, system_prompt, ...settings }: PromptWish, { signal }: Doing): Promise<Prompted> {
    const messages = [
      ...(system_prompt === undefined ? [] : [{ role: "system", content: system_prompt }]),
      { role: "user", content: prompt },
    ];
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...settings, messages }),
    };
    const answer = await fetched(`${this.origin}/v1/chat/completions`, init, signal, {
      unreachable: (why) => unavailable(`Failed to connect to LM Studio: ${why}`),
      late: "LM Studio request timeout (30s)",
      bytesMax: COMPLETION_BYTES_MAX,
    });
    const text = new TextDecoder().decode(answer.bytes);
    if (!answer.ok) throw refused(answer.status, text);
    return readPrompted(text, settings.model);
  }

  async spawn(wish: AgentWish, { signal }: Doing): Promise<Spawned> {
    const reply = await this.#askAgents({ action: "spawn", unit: "pixels", ...wish }, signal);
    return readSpawned(reply, wish.region);
  }

  async order(agentId: string, order: AgentOrder): Promise<string> {
    return readStatus(await this.#askAgents({ action: order, agentId, agent_id: agentId }));
  }

  async agent(agentId: string): Promise<object> {
    return withoutEnvelope(await this.#askAgents({ action: "get", agent_id: agentId }));
  }

  async agents(): Promise<readonly AgentRow[]> {
    return readAgents(await this.#askAgents({ action: "list" }));
  }

  onAgentEvent(heard: (event: AgentEvent) => void): void {
    this.#heard = heard;
  }

  async #askAgents(message: Message, signal?: AbortSignal): Promise<Message> {
    const line = await this.#agentLine();
    const session = this.session();
    const question = {
      msMax: SPAWN_MS_MAX,
      late: message.action === "spawn" ? "Agent spawn timeout (10s)" : `Agent ${String(message.action)} timeout (10s)`,
      signal,
    };
    return line.ask({ requestId: requestId("agent"), ...message, ...(session !== undefined && { session }) }, question);
  }

  /** One connection for all agents, reopened after it was closed or failed to open. */
  #agentLine(): Promise<Line> {
    const over = (): void => (this.#agents = undefined);
    return (this.#agents ??= Line.open(this.#socketUrl("/agents"), AGENTS, {
      heard: (message) => {
        const event = readEvent(message);
        if (event !== undefined) this.#heard(event);
      },
      closed: over,
    }).catch((error: unknown) => {
      over();
      throw error;
    }));
  }

  #socketUrl(path: string): string {
    const url = new URL(path, this.origin);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url.href;
  }
}

function tellProgress({ generation, generations, bestFitness }: Message, progress: Doing["progress"]): void {
  if (typeof generation !== "number") return;
  const best = typeof bestFitness === "number" ? `best fitness ${bestFitness.toFixed(4)}` : undefined;
  progress(generation, typeof generations === "number" ? generations : undefined, best);
}

/** A hub sends a reason and a code; any other server only a status. */
function refused(status: number, text: string): Failure {
  const { error, error_code, hint } = spoken(text);
  if (typeof error === "string" && isErrorCode(error_code))
    return new Failure(error_code, error, typeof hint === "string" ? { hint } : {});
  const message = `LM Studio returned HTTP ${String(status)}: ${clip(text, REASON_CHARS_MAX)}`;
  return AWAY.includes(status) ? unavailable(message) : failed(message);
}

function spoken(text: string): Message {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Message) : {};
  } catch {
    return {};
  }
}
