// Offers a component's tool to the page's client, present or future. Without a client nothing happens, so that
// components can be shipped unchanged.

import type { Tool, ToolOptions } from "./tool.js";

const MARK = Symbol.for("eye.client");

type Marked = typeof globalThis & { [MARK]?: { tool(tool: Tool, options?: ToolOptions): Promise<void> } | undefined };

/** The returned function removes the tool. */
export function offerTool(tool: Tool): () => void {
  // Frameworks run components on servers, too.
  if (typeof window === "undefined") return () => undefined;
  const taken = new AbortController();
  const { signal } = taken;
  // An invalid tool is the page's mistake: the rejection goes to its console.
  const offer = (): void => void (globalThis as Marked)[MARK]?.tool(tool, { signal });
  offer();
  addEventListener("eye:client", offer, { signal });
  return () => taken.abort();
}
