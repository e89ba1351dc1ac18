// The page's WebMCP until the part that knows it is there: what it registers is overheard, and a page that wants
// `document.modelContext` where the browser has none gets a stand-in at once, which the part makes whole.

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
    // A frozen one stays what it is, behind one that is not.
    if (!Reflect.set(context, "registerTool", registerTool))
      place(Object.create(context, { registerTool: { value: registerTool } }));
  } catch {
    // Then its tools stay the browser's alone.
  }
  return overheard;
}
