// The eight tools over a system without a screen.

import assert from "node:assert/strict";
import { Agents } from "../geometry/src/agents.js";
import type { Backends } from "../geometry/src/backends/backends.js";
import { MockBackends } from "../geometry/src/backends/mock.js";
import { Cartridges } from "../geometry/src/cartridge/cartridges.js";
import { unavailable } from "../geometry/src/failure.js";
import { Meter } from "../geometry/src/map/meter.js";
import { PixelMap } from "../geometry/src/map/pixel-map.js";
import { Viewport } from "../geometry/src/map/viewport.js";
import { Desk, type Reply } from "../geometry/src/tools/desk.js";
import { TOOLS } from "../geometry/src/tools/table.js";
import type { System } from "../geometry/src/tools/tool.js";

export interface Stage {
  readonly desk: Desk;
  readonly system: System;
  readonly said: string[];
  readonly marked: (readonly [number, number])[];
}

export function stage(backends: Backends = new MockBackends(), view = { width: 800, height: 600 }): Stage {
  const map = new PixelMap();
  const [said, marked]: [string[], (readonly [number, number])[]] = [[], []];
  const system: System = {
    map,
    viewport: new Viewport({ x: 0, y: 0, zoom: 1 }, () => view),
    cartridges: new Cartridges(map),
    agents: new Agents(),
    backends,
    meter: new Meter(),
    windows: () => [{ title: "State", x: 1, y: 2, width: 3, height: 4, visible: true }],
    isConnected: () => false,
    calls: () => desk.counts,
    mark: (x, y) => marked.push([x, y]),
    say: (text) => said.push(text),
    showFramebuffer: () => undefined,
  };
  const desk: Desk = new Desk(
    TOOLS,
    () => system,
    () => undefined,
  );
  return { desk, system, said, marked };
}

/** Every backend is away. */
export function away(): Backends {
  const gone = (): Promise<never> =>
    Promise.reject(unavailable("Evolution backend not running at ws://localhost:8765"));
  return {
    mock: false,
    evolve: gone,
    prompt: gone,
    spawn: gone,
    order: gone,
    agent: gone,
    agents: gone,
    onAgentEvent: () => undefined,
  };
}

export async function error(name: string, args: unknown, code = "INVALID_INPUT"): Promise<string> {
  const reply = await stage().desk.invoke(name, args);
  assert.equal(reply.success, false, JSON.stringify(reply));
  assert.equal(reply.error_code, code, JSON.stringify(reply));
  assert.equal(reply.tool, name);
  assert.match(String(reply.timestamp), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  return String(reply.error);
}

export function given(reply: Reply): Reply {
  assert.notEqual(reply.success, false, JSON.stringify(reply));
  return reply;
}
