// The entry "eye-client/vue": a tool that exists as long as its component.

import { toValue, watch, type MaybeRefOrGetter } from "vue";
import { offerTool } from "../tools/offer.js";
import type { Tool } from "../tools/tool.js";

export type { Tool, ToolContext } from "../tools/tool.js";

/**
 * Offers a tool while this component is mounted. A ref or a getter may change the tool; while it is `null` or `false`,
 * nothing is offered.
 */
export function useEyeTool(tool: MaybeRefOrGetter<Tool | null | undefined | false>): void {
  watch(
    () => toValue(tool),
    (now, _, onCleanup) => {
      if (now) onCleanup(offerTool(now));
    },
    { immediate: true },
  );
}
