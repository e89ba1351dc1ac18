// The entry "eye-client/react": a tool that exists as long as its component.

import { useEffect, useRef } from "react";
import { offerTool } from "../tools/offer.js";
import type { Tool } from "../tools/tool.js";

export type { Tool, ToolContext } from "../tools/tool.js";

/**
 * Offers a tool while this component is mounted. The tool may be an inline object: `execute` is always that of the last
 * render, and the tool is only offered again when anything else in it has changed. `null` or `false` offers nothing.
 */
export function useEyeTool(tool: Tool | null | undefined | false): void {
  const latest = useRef(tool);
  useEffect(() => {
    latest.current = tool;
  });
  // JSON leaves out functions, so this is everything that agents get of the tool.
  const definition = tool ? JSON.stringify(tool) : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: offered again when what is told of it changes
  useEffect(() => {
    const { current } = latest;
    if (!current) return undefined;
    return offerTool({ ...current, execute: (args, context) => (latest.current || current).execute(args, context) });
  }, [definition]);
}
