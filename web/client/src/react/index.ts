// "eye-client/react": a component's tool, there as long as the component is.

import { useEffect, useRef } from "react";
import { offerTool } from "../tools/offer.js";
import type { Tool } from "../tools/tool.js";

export type { Tool, ToolContext } from "../tools/tool.js";

/**
 * Offers a tool while this component is mounted. It may be written in place: `execute` is always the one of the last
 * render, and the tool is offered anew only when something else of it has changed. `null` or `false` offers nothing.
 */
export function useEyeTool(tool: Tool | null | undefined | false): void {
  const latest = useRef(tool);
  useEffect(() => {
    latest.current = tool;
  });
  // Functions leave no trace in JSON, so this is all that agents are told of it.
  const told = tool ? JSON.stringify(tool) : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: offered again when what is told of it changes
  useEffect(() => {
    const { current } = latest;
    if (!current) return undefined;
    return offerTool({ ...current, execute: (args, context) => (latest.current || current).execute(args, context) });
  }, [told]);
}
