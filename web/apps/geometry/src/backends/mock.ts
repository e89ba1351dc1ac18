// Mock backends: for a page without a hub, and for tests of the code around them. All their answers are marked as mock.

import { encode } from "fast-png";
import { failed, invalid } from "../failure.js";
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

const PICTURE_SIDE = 64;
const HEARTBEAT_SECONDS = 5;
const CHARS_PER_TOKEN = 4;
const AGENTS_MAX = 16;

interface MockAgent {
  row: AgentRow;
  timer: ReturnType<typeof setInterval> | undefined;
}

export class MockBackends implements Backends {
  readonly mock = true;
  readonly #agents = new Map<string, MockAgent>();
  #count = 0;
  #heard: (event: AgentEvent) => void = () => undefined;

  async evolve(
    { seed_shader, generations, fitness_metric }: EvolutionWish,
    { progress, signal }: Doing,
  ): Promise<Evolved> {
    for (let generation = 1; generation <= generations; generation++) {
      if (signal.aborted) throw failed("cancelled by the caller");
      progress(generation, generations, "mock");
    }
    const hash = hashOf(seed_shader + fitness_metric);
    const cartridgeId = `mock-${hash.toString(16)}`;
    return {
      bestFitness: (hash % 1000) / 1000,
      generationsCompleted: generations,
      evolvedShader: `// mock: nothing has evolved\n${seed_shader}`,
      cartridgeId,
      cartridgeUrl: URL.createObjectURL(new Blob([picture(hash) as BlobPart], { type: "image/png" })),
    };
  }

  async prompt({ prompt, system_prompt = "", model }: PromptWish): Promise<Prompted> {
    const response = `Mock response to: ${prompt}`;
    const [asked, answered] = [tokens(system_prompt + prompt), tokens(response)];
    return { response, model, tokensUsed: { prompt: asked, completion: answered, total: asked + answered } };
  }

  async spawn({ agent_type, region, config, auto_start }: AgentWish): Promise<Spawned> {
    if (this.#agents.size >= AGENTS_MAX)
      throw failed(`the mock runs at most ${String(AGENTS_MAX)} agents; stop one first`);
    const asked = config.heartbeat_interval;
    const heartbeatInterval = typeof asked === "number" && asked > 0 ? asked : HEARTBEAT_SECONDS;
    const row: AgentRow = {
      agentId: `mock-agent-${String(++this.#count)}`,
      agentType: agent_type,
      status: "spawned",
      region,
      heartbeatInterval,
    };
    this.#agents.set(row.agentId, { row, timer: undefined });
    const { agentId } = row;
    return { agentId, region, heartbeatInterval, status: auto_start ? this.#turn(agentId, "running") : "spawned" };
  }

  async order(agentId: string, order: AgentOrder): Promise<string> {
    return this.#turn(agentId, { pause: "paused", resume: "running", stop: "stopped" }[order]);
  }

  async agent(agentId: string): Promise<object> {
    const agent = this.#agents.get(agentId);
    if (agent === undefined) throw invalid(`there is no agent ${agentId}`);
    return agent.row;
  }

  async agents(): Promise<readonly AgentRow[]> {
    return [...this.#agents.values()].map(({ row }) => row);
  }

  onAgentEvent(heard: (event: AgentEvent) => void): void {
    this.#heard = heard;
  }

  #turn(agentId: string, status: string): string {
    const agent = this.#agents.get(agentId);
    if (agent === undefined) throw invalid(`there is no agent ${agentId}`);
    agent.row = { ...agent.row, status };
    clearInterval(agent.timer);
    const beat = (): void => this.#heard({ agentId, event: "heartbeat", status, mock: true });
    agent.timer = status === "running" ? setInterval(beat, agent.row.heartbeatInterval * 1000) : undefined;
    if (status === "stopped") this.#agents.delete(agentId);
    return status;
  }
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** A picture that differs for every shader, so that something can be loaded. */
function picture(hash: number): Uint8Array {
  const data = new Uint8Array(PICTURE_SIDE * PICTURE_SIDE * 4);
  for (let at = 0; at < PICTURE_SIDE * PICTURE_SIDE; at++) {
    const [x, y] = [at % PICTURE_SIDE, Math.floor(at / PICTURE_SIDE)];
    const wave = (part: number): number =>
      128 + 127 * Math.sin((x * (1 + (hash & 7)) + y * (part + 2)) / 11 + part * 2);
    data.set([wave(0), wave(1), wave(2), 255], at * 4);
  }
  return encode({ width: PICTURE_SIDE, height: PICTURE_SIDE, data, channels: 4, depth: 8 });
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
