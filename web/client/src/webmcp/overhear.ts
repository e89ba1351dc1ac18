// Watches the page's WebMCP until the WebMCP part is loaded: records what the page registers. A page that requests
// `document.modelContext` in a browser without it gets a stand-in at once, which the part completes.

import type { Overheard } from "../core/part.js";
import { placeAlias } from "./alias.js";
import { contextOf, type ModelContext } from "./context.js";

export function overhear(wanted: boolean | undefined): Overheard {
  const overheard: Overheard = [];
  const place = (value: object): unknown =>
    Object.defineProperty(document, "modelContext", { value, configurable: true });
  if (wanted === true && isSecureContext && !("modelContext" in document)) {
    const standIn = new EventTarget() as EventTarget & Record<string, unknown>;
    for (const name of ["registerTool", "getTools", "executeTool"])
      standIn[name] = (...args: unknown[]) =>
        new Promise((resolve) => overheard.push(({ ask }) => resolve(ask(name, args))));
    place(standIn);
    overheard.standIn = contextOf(document);
  }
  if (wanted === true) placeAlias();
  const context = contextOf(document);
  if (context?.registerTool === undefined) return overheard;
  const registerTool = new Proxy(context.registerTool, {
    async apply(register, _, [tool, options]: Parameters<ModelContext["registerTool"]>) {
      const { stack } = new Error();
      const gone = new AbortController();
      const signal = AbortSignal.any([gone.signal, options?.signal ?? []].flat());
      overheard.before?.(tool, stack);
      const done = register.call(context, tool, { ...options, signal });
      overheard.push((part) => part.heard(tool, signal, gone, done, stack));
      await done;
    },
  });
  try {
    // A frozen context stays as it is, behind a wrapper.
    if (!Reflect.set(context, "registerTool", registerTool))
      place(Object.create(context, { registerTool: { value: registerTool } }));
  } catch {
    // Then its tools remain in the browser only.
  }
  return overheard;
}
