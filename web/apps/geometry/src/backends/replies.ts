// Parses the replies of backends. A reply that lacks a promised member is an error that names it, never a success with
// gaps.

import { clip } from "../clip.js";
import { failed } from "../failure.js";
import type { Rect } from "../map/pixel-map.js";
import type { AgentEvent, AgentRow, Evolved, Prompted, Spawned } from "./backends.js";
import type { Message } from "./line.js";

const HEARTBEAT_SECONDS = 5;
/** Members of the protocol, not of the answer. */
const ENVELOPE: readonly string[] = ["requestId", "success", "type"];
/** 256 numbers, too many for a window. */
const LONG: readonly string[] = ["histogram"];
const REPORT_TEXT_CHARS_MAX = 200;

export function readEvolved(reply: Message): Evolved {
  return {
    ...without(reply, ENVELOPE),
    bestFitness: number(reply, "bestFitness", "Evolution backend"),
    generationsCompleted: number(reply, "generationsCompleted", "Evolution backend"),
    evolvedShader: text(reply, "evolvedShader", "Evolution backend"),
    // A result that could not be stored is still a result; the backend's warning says why.
    cartridgeId: reply.cartridgeId === null ? null : text(reply, "cartridgeId", "Evolution backend"),
  };
}

/** Parses a completion in the format of OpenAI's API. */
export function readPrompted(body: string, asked: string): Prompted {
  const completion = json(body);
  const { choices, model, usage } = completion;
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  const content = object(object(choice).message).content;
  if (typeof content !== "string") throw failed(`LM Studio gave a malformed completion: ${body.slice(0, 120)}`);
  const { prompt_tokens, completion_tokens, total_tokens } = object(usage);
  const [prompt, written] = [count(prompt_tokens), count(completion_tokens)];
  return {
    response: content,
    model: typeof model === "string" ? model : asked,
    tokensUsed: {
      prompt,
      completion: written,
      total: typeof total_tokens === "number" ? total_tokens : prompt + written,
    },
  };
}

export function readSpawned(reply: Message, asked: Rect): Spawned {
  return {
    agentId: text(reply, "agentId", "Agent backend"),
    status: text(reply, "status", "Agent backend"),
    region: rect(reply.region) ?? asked,
    heartbeatInterval: typeof reply.heartbeatInterval === "number" ? reply.heartbeatInterval : HEARTBEAT_SECONDS,
  };
}

export function readStatus(reply: Message): string {
  return text(reply, "status", "Agent backend");
}

export function readAgents(reply: Message): readonly AgentRow[] {
  const { agents } = reply;
  if (!Array.isArray(agents)) throw failed("Agent backend gave a malformed reply: it has no agents");
  return (agents as unknown[]).flatMap((agent) => {
    const row = object(agent);
    const region = rect(row.region);
    if (typeof row.agentId !== "string" || region === undefined) return [];
    const type = row.agentType ?? row.agent_type;
    const last = row.lastReport;
    return [
      {
        ...readSpawned(row, region),
        agentType: typeof type === "string" ? type : "agent",
        ...(last !== undefined && { report: readReport(object(last)) }),
        ...(typeof row.error === "string" && { error: row.error }),
      },
    ];
  });
}

export function readEvent(message: Message): AgentEvent | undefined {
  const { agentId, event } = message;
  return typeof agentId === "string" && typeof event === "string" ? { ...message, agentId, event } : undefined;
}

/** An agent's finding from its event, shortened for a window. */
export function readReport({ report }: Message): Message {
  const shown = Object.entries(without(object(report), LONG));
  return Object.fromEntries(
    shown.map(([name, value]) => [name, typeof value === "string" ? clip(value, REPORT_TEXT_CHARS_MAX) : value]),
  );
}

export function withoutEnvelope(reply: Message): Message {
  return without(reply, ENVELOPE);
}

function without(message: Message, names: readonly string[]): Message {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
}

function number(reply: Message, name: string, who: string): number {
  const value = reply[name];
  if (typeof value !== "number") throw failed(`${who} gave a malformed reply: ${name} is no number`);
  return value;
}

function text(reply: Message, name: string, who: string): string {
  const value = reply[name];
  if (typeof value !== "string") throw failed(`${who} gave a malformed reply: ${name} is no text`);
  return value;
}

function rect(value: unknown): Rect | undefined {
  const { x, y, width, height } = object(value);
  return typeof x === "number" && typeof y === "number" && typeof width === "number" && typeof height === "number"
    ? { x, y, width, height }
    : undefined;
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function object(value: unknown): Message {
  return typeof value === "object" && value !== null ? (value as Message) : {};
}

function json(body: string): Message {
  try {
    return object(JSON.parse(body));
  } catch {
    throw failed(`LM Studio gave a malformed completion: ${body.slice(0, 120)}`);
  }
}
