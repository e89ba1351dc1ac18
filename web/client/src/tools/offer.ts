// Offers a component's tool to the client that the page has, or gets later. In a page without one nothing happens, so
// that a component may be shipped as it is.

import type { Tool, ToolOptions } from "./tool.js";

const MARK = Symbol.for("eye.client");

type Marked = typeof globalThis & { [MARK]?: { tool(tool: Tool, options?: ToolOptions): Promise<void> } | undefined };

/** Returns how to take it back. */
export function offerTool(tool: Tool): () => void {
  // Frameworks run components on servers, too.
  if (typeof window === "undefined") return () => undefined;
  const taken = new AbortController();
  const { signal } = taken;
  // What is no tool is the page's fault: the rejection is left for its console.
  const offer = (): void => void (globalThis as Marked)[MARK]?.tool(tool, { signal });
  offer();
  addEventListener("eye:client", offer, { signal });
  return () => taken.abort();
}
