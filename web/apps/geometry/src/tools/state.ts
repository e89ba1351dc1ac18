// `get_os_state`: the current state of the system. Like the original it has no `success`: only wrong arguments make it
// fail.

import { invalid } from "../failure.js";
import { GRID_PIXELS } from "../map/camera.js";
import type { GeometryTool, System } from "./tool.js";

const round = (value: number): number => Math.round(value * 1000) / 1000;

const SECTIONS = {
  camera({ viewport: { camera } }: System) {
    return { ...camera, gridX: round(camera.x / GRID_PIXELS), gridY: round(camera.y / GRID_PIXELS) };
  },
  windows(system: System) {
    const list = system.windows();
    return { count: list.length, list };
  },
  /** Subsystems that this system lacks are reported as false, under the original's names. */
  subsystems(system: System) {
    return {
      viewport: system.viewport.bounds !== null,
      infiniteMap: true,
      computeSystem: false,
      windowManager: true,
      cognitiveLayer: system.backends.mock || system.isConnected(),
      visualBootLoader: false,
      linuxKernelLoader: false,
      workbench: false,
      tectonicManager: false,
      saccadicPresets: false,
      evolutionEngine: system.backends.mock || system.isConnected(),
      holodeck: false,
      tutorialManager: false,
    };
  },
  performance({ meter, cartridges, map, agents }: System) {
    return {
      ...meter.figures(performance.now()),
      renderer: "Canvas2D",
      stageChildren: map.layers.length,
      worldChildren: cartridges.all.length + agents.all.length,
    };
  },
  evolution({ backends, cartridges, isConnected }: System) {
    return {
      nurserySprite: cartridges.all.some(({ source }) => source !== undefined),
      engineAvailable: backends.mock || isConnected(),
    };
  },
} as const;

type Section = keyof typeof SECTIONS;
const NAMES = Object.keys(SECTIONS) as Section[];

export const STATE: GeometryTool = {
  name: "get_os_state",
  title: "Get OS State",
  description:
    "Reads what the system is and does: camera, windows, subsystems, performance, evolution. Without include, all of it.",
  inputSchema: {
    type: "object",
    properties: {
      include: {
        type: "array",
        items: { type: "string", enum: [...NAMES, "all"] },
        description: "Sections; all if left out",
      },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
  run(args, system) {
    const calls = system.calls();
    const totalCalls = Object.values(calls).reduce((sum, count) => sum + count, 0);
    return {
      os: "Geometry OS",
      paradigm: "The Screen is the Hard Drive",
      timestamp: new Date().toISOString(),
      webmcp: {
        toolsRegistered: Object.keys(calls).length,
        totalCalls,
        callBreakdown: Object.fromEntries(Object.entries(calls).filter(([, count]) => count > 0)),
      },
      ...Object.fromEntries(wanted(args.include).map((name) => [name, SECTIONS[name](system)])),
    };
  },
};

function wanted(include: unknown): readonly Section[] {
  if (include === undefined) return NAMES;
  if (!Array.isArray(include)) throw invalid("include must be a list");
  const names = include as unknown[];
  const unknown = names.find((name) => name !== "all" && !NAMES.includes(name as Section));
  if (unknown !== undefined)
    throw invalid(`include takes ${[...NAMES, "all"].join(", ")}, not ${JSON.stringify(unknown)}`);
  return names.length === 0 || names.includes("all") ? NAMES : NAMES.filter((name) => names.includes(name));
}
