// `spawn_area_agent`: spawns an agent for a region of the map.

import type { AgentWish } from "../backends/backends.js";
import { SPAWN_MS_MAX } from "../backends/limits.js";
import { invalid } from "../failure.js";
import { GRID_PIXELS, PLACE_MAX } from "../map/camera.js";
import type { Rect } from "../map/pixel-map.js";
import { flag, isNumber, isObject, MARGIN_MS, type Args, type GeometryTool } from "./tool.js";

export const AGENT_TYPES: readonly string[] = ["monitor", "executor", "evolver", "analyzer"];

const UNITS: readonly unknown[] = ["grid", "pixels"];

export const AGENT: GeometryTool = {
  name: "spawn_area_agent",
  title: "Spawn Area Agent",
  description:
    "Sets an area agent to work on a region of the map: monitor (reports changes), executor (runs a pixel program), evolver (evolves its shader), analyzer (entropy, histogram, colours).",
  inputSchema: {
    type: "object",
    properties: {
      agent_type: { type: "string", enum: AGENT_TYPES },
      region: {
        type: "object",
        properties: {
          x: { type: "number" },
          y: { type: "number" },
          width: { type: "number" },
          height: { type: "number" },
          unit: { type: "string", enum: UNITS, default: "grid" },
        },
        required: ["x", "y", "width", "height"],
        additionalProperties: false,
        description: "In grid units of 100 map pixels, or in map pixels where unit says so",
      },
      config: { type: "object", description: "For the agent; heartbeat_interval is in seconds" },
      auto_start: { type: "boolean", default: true },
    },
    required: ["agent_type", "region"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false },
  timeout: SPAWN_MS_MAX + MARGIN_MS + MARGIN_MS,
  async run(args, { backends, agents }, doing) {
    const wish = wanted(args);
    const spawned = await backends.spawn(wish, doing);
    agents.spawned({ ...spawned, agentType: wish.agent_type });
    return { success: true, ...spawned, region: args.region };
  },
};

function wanted(args: Args): AgentWish {
  const { agent_type, config = {} } = args;
  if (typeof agent_type !== "string" || !AGENT_TYPES.includes(agent_type))
    throw invalid(`agent_type must be one of: ${AGENT_TYPES.join(", ")}`);
  if (!isObject(config)) throw invalid("config must be an object");
  return { agent_type, region: regionOf(args.region), config, auto_start: flag(args, "auto_start", true) };
}

/** The region in map pixels, converted from its unit. */
function regionOf(region: unknown): Rect {
  if (!isObject(region)) throw invalid("region is required and must be an object with x, y, width, height");
  const { unit = "grid" } = region;
  if (!UNITS.includes(unit)) throw invalid(`unit must be one of: ${UNITS.join(", ")}`);
  const scaled = (value: unknown): unknown => (unit === "grid" && isNumber(value) ? value * GRID_PIXELS : value);
  const [x, y, width, height] = [region.x, region.y, region.width, region.height].map(scaled);
  if (!isNumber(x) || !isNumber(y) || !isNumber(width) || !isNumber(height))
    throw invalid("region must have numeric x, y, width, and height properties");
  if (width <= 0 || height <= 0) throw invalid("region width and height must be positive numbers");
  if (Math.max(Math.abs(x), Math.abs(y), Math.abs(x + width), Math.abs(y + height)) > PLACE_MAX)
    throw invalid("region must lie on the map");
  return { x, y, width, height };
}
