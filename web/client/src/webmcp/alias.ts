// `navigator.modelContext`, the place of WebMCP in Chrome 146 to 151, for pages from that time: their tools have a
// `handler`, or an `execute` that may ask the person, and are unregistered by name. All calls go to
// `document.modelContext`.

import { contextOf, type Callable, type ToolContext } from "./context.js";

interface EarlyContext extends ToolContext {
  requestUserInteraction<T>(ask: () => T): Promise<T>;
}

type EarlyTool = Omit<Callable, "execute"> & {
  readonly execute?: (input: object, context: EarlyContext) => unknown;
  readonly handler?: (input: object, context: EarlyContext) => unknown;
};

/** Defines it if the browser does not. */
export function placeAlias(): void {
  if ("modelContext" in navigator) return;
  const registered = new Map<string, AbortController>();
  const registerTool = (tool: EarlyTool, options?: { readonly signal?: AbortSignal }): Promise<void> | undefined => {
    const { handler, execute = handler, ...definition } = tool;
    const gone = new AbortController();
    registered.set(definition.name, gone);
    return contextOf(document)?.registerTool(
      {
        ...definition,
        // A tool without either is refused as a browser refuses it.
        execute: (execute &&
          ((input, context) =>
            execute(input, { ...context, requestUserInteraction: async (ask) => ask() }))) as Callable["execute"],
      },
      { signal: AbortSignal.any([gone.signal, options?.signal ?? []].flat()) },
    );
  };
  const unregisterTool = (name: string): void => registered.get(name)?.abort();
  const provideContext = ({ tools = [] }: { readonly tools?: readonly EarlyTool[] } = {}): void => {
    for (const tool of tools) registerTool(tool)?.catch(console.warn);
  };
  const value = { registerTool, unregisterTool, provideContext };
  Object.defineProperty(navigator, "modelContext", { value, configurable: true });
}
