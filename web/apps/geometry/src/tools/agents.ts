// `list_area_agents`, `get_area_agent`, `control_area_agent`: report on spawned agents, and pause, resume or stop them.

import type { AgentOrder } from "../backends/backends.js";
import { SPAWN_MS_MAX } from "../backends/limits.js";
import { invalid } from "../failure.js";
import { MARGIN_MS, textOf, type GeometryTool } from "./tool.js";

const ORDERS: readonly unknown[] = ["pause", "resume", "stop"] satisfies readonly AgentOrder[];
const AGENT_ID = { type: "string", description: "As spawn_area_agent gave it" };
const timeout = SPAWN_MS_MAX + MARGIN_MS;

export const AGENT_LIST: GeometryTool = {
  name: "list_area_agents",
  title: "List Area Agents",
  description: "Lists the area agents of this page: type, status and region in map pixels.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
  timeout,
  async run(_, { backends }) {
    return { success: true, agents: await backends.agents() };
  },
};

export const AGENT_ASK: GeometryTool = {
  name: "get_area_agent",
  title: "Get Area Agent",
  description: "Asks one area agent how it is: status, turns, reports, and the last report in full.",
  inputSchema: {
    type: "object",
    properties: { agent_id: AGENT_ID },
    required: ["agent_id"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
  timeout,
  async run(args, { backends }) {
    return { success: true, ...(await backends.agent(textOf(args, "agent_id"))) };
  },
};

export const AGENT_CONTROL: GeometryTool = {
  name: "control_area_agent",
  title: "Control Area Agent",
  description: "Pauses, resumes or stops an area agent. One that was stopped does not begin again.",
  inputSchema: {
    type: "object",
    properties: { agent_id: AGENT_ID, order: { type: "string", enum: ORDERS } },
    required: ["agent_id", "order"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false },
  timeout,
  async run(args, { backends, agents }) {
    const agentId = textOf(args, "agent_id");
    const { order } = args;
    if (!isOrder(order)) throw invalid(`order must be one of: ${ORDERS.join(", ")}`);
    const status = await backends.order(agentId, order);
    agents.turned(agentId, status);
    return { success: true, agentId, status };
  },
};

function isOrder(order: unknown): order is AgentOrder {
  return ORDERS.includes(order);
}
