// Offers the tools and the state to agents. Registers each tool once; the page client announces it to the hub and to
// the browser's WebMCP.

import type { Agents } from "./agents.js";
import type { AgentRow, Doing } from "./backends/backends.js";
import { readEvent } from "./backends/replies.js";
import { clip } from "./clip.js";
import type { Eye } from "./eye.js";
import { messageOf } from "./failure.js";
import { isFailure, type Desk, type Reply } from "./tools/desk.js";
import type { Args, System } from "./tools/tool.js";

const AGENT_TOPICS = "geometry/agents/*";
/** An address may contain the picture itself. */
const URL_CHARS_MAX = 200;

/** Resolves when everything is registered. */
export async function offer(eye: Eye, desk: Desk, system: System): Promise<void> {
  await eye.state(() => stateOf(system));
  // One after the other: agents read them in the order of arrival, and an unchanged list stays cached.
  for (const { run: _, ...told } of desk.tools) {
    const execute = async (args: Args, doing: Doing): Promise<object> =>
      said(await desk.invoke(told.name, args, doing));
    // Every tool refuses in the original's format, so the hub leaves the check to it.
    await eye.tool({ ...told, checkedBy: "page", execute });
  }
}

/**
 * Also follows this page's agents after a reload, when the connection that spawned them is gone, and agents that others
 * spawned here.
 */
export async function hearAgents(eye: Eye, agents: Agents, list: () => Promise<readonly AgentRow[]>): Promise<void> {
  const learn = async (): Promise<void> => {
    for (const row of await list()) agents.spawned(row);
  };
  await eye.subscribe(AGENT_TOPICS, (message) => {
    const event =
      typeof message === "object" && message !== null ? readEvent(message as Record<string, unknown>) : undefined;
    if (event === undefined || event.session !== eye.session) return;
    const isNew = !agents.knows(event.agentId);
    agents.heard(event, Date.now());
    if (isNew) learn().catch((error: unknown) => console.info(`geometry: an agent is not known: ${messageOf(error)}`));
  });
  await learn();
}

/** A failure in both forms: marked as an MCP error, with the original's object in it. */
function said(reply: Reply): object {
  if (!isFailure(reply)) return reply;
  return {
    ...reply,
    content: [{ type: "text", text: JSON.stringify(reply) }],
    structuredContent: reply,
    isError: true,
  };
}

function stateOf({ viewport, cartridges, agents, windows, backends }: System): object {
  return {
    camera: viewport.camera,
    windows: windows()
      .filter(({ visible }) => visible)
      .map(({ title }) => title),
    cartridges: cartridges.all.map(({ id, name, url, layer: { x, y, width, height } }) => ({
      id,
      name,
      url: clip(url, URL_CHARS_MAX),
      x,
      y,
      width,
      height,
    })),
    agents: agents.all.map(({ agentId, agentType, status, heartbeats, report }) => ({
      agentId,
      agentType,
      status,
      heartbeats,
      report: report ?? null,
    })),
    mock: backends.mock,
  };
}
