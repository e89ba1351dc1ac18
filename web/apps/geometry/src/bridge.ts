// The globals for code in the page, under the original's names: `webmcpBridge`, `invokeWebMCPTool`, `HilbertLUT`, and
// the two events.

import { d2xy, xy2d, type GridPosition } from "./hilbert.js";
import type { Desk, Reply } from "./tools/desk.js";

export interface Status {
  /** Whether this document has WebMCP, the browser's own or the client's. */
  readonly available: boolean;
  readonly registered: boolean;
  readonly tools: readonly string[];
  readonly totalCalls: number;
  readonly callBreakdown: Readonly<Record<string, number>>;
  readonly appConnected: boolean;
  readonly mockMode: boolean;
}

export interface Bridge {
  getStatus(): Status;
}

export interface PageGlobals {
  webmcpBridge?: Bridge;
  invokeWebMCPTool?: (name: string, args?: unknown) => Promise<Reply>;
  HilbertLUT?: { d2xy(size: number, index: number): readonly number[] & GridPosition; readonly xy2d: typeof xy2d };
}

/** A position that code can destructure as `const [x, y] = …` and as `const { x, y } = …`. */
function placeOf(size: number, index: number): readonly number[] & GridPosition {
  const { x, y } = d2xy(size, index);
  return Object.assign([x, y], { x, y });
}

export function publishBridge(
  desk: Desk,
  mockMode: boolean,
  isRegistered: () => boolean,
  isConnected: () => boolean,
): void {
  const tools = desk.tools.map(({ name }) => name);
  const globals = globalThis as PageGlobals;
  globals.webmcpBridge = {
    getStatus() {
      const { counts } = desk;
      return {
        available: "modelContext" in document,
        registered: isRegistered(),
        tools,
        totalCalls: Object.values(counts).reduce((sum, count) => sum + count, 0),
        callBreakdown: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
        appConnected: isConnected(),
        mockMode,
      };
    },
  };
  globals.invokeWebMCPTool = (name, args) => desk.invoke(name, args);
  globals.HilbertLUT = { d2xy: placeOf, xy2d };
}

export function announceReady(desk: Desk, mockMode: boolean): void {
  dispatchEvent(new CustomEvent("webmcp-ready", { detail: { tools: desk.tools.map(({ name }) => name), mockMode } }));
}
