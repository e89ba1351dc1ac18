// The WebMCP part: publishes tools from `document.modelContext` and from forms to the hub, and registers tools of
// `eye.tool` in `document.modelContext`. The browser's own context, or the polyfill, stays in place.

import { PARTIAL_TOOLS_MAX } from "../core/limits.js";
import type { Core, WebMcpPart } from "../core/part.js";
import type { Tool } from "../tools/tool.js";
import { contextOf, type Callable, type ListedTool } from "./context.js";
import { checkable } from "./fields.js";
import { forms } from "./forms.js";
import { polyfill } from "./polyfill.js";
import { isReload, siteOf } from "./reload.js";

interface Known {
  /** Unregisters the tool in the context. */
  readonly gone: AbortController;
  readonly site: string;
}

interface Listed {
  readonly gone: AbortController;
  /** The browser's description of the tool. */
  readonly text: string;
}

export function webmcp(core: Core): WebMcpPart {
  const context = contextOf(document);
  const { standIn } = core.overheard;
  /** Tools whose registration was observed, by name. */
  const known = new Map<string, Known>();
  /** Other tools of the browser: registered before this client, or from forms. */
  const listed = new Map<string, Listed>();
  /** Tools of this client that are registered in the browser, too. */
  const mirrored = new WeakSet<Callable>();
  const blamed = new Set<string>();
  let turn = 0;

  const blame = (text: string): void => {
    if (!blamed.has(text)) console.warn(`eye: ${text}`);
    blamed.add(text);
  };

  const publish = (
    { name, title, description, inputSchema, annotations, execute }: Callable,
    signal: AbortSignal,
  ): void => {
    const tool = { name: String(name), title, description, inputSchema, annotations, execute } as Tool;
    core.load("tools").then(
      (tools) => tools.tool(tool, { signal }, true),
      () => undefined,
    );
  };

  const publishOwn = (tool: Callable, signal: AbortSignal): void => {
    const { name, execute } = tool;
    const run: Callable["execute"] = (input, doing) => {
      const outcome = execute(input, doing);
      dispatch("Activated", name);
      doing.signal.addEventListener("abort", () => dispatch("Cancel", name));
      return outcome;
    };
    publish({ ...tool, execute: run }, signal);
  };

  /** Dispatches the event that a browser sends for its own calls. */
  const dispatch = (what: "Activated" | "Cancel", toolName: string): void => {
    const Kind = (globalThis as unknown as Record<string, typeof Event | undefined>)[`Tool${what}Event`];
    if (Kind !== undefined) context?.dispatchEvent?.(new Kind(`tool${what.toLowerCase()}`, { toolName } as EventInit));
  };

  const list = async (): Promise<void> => {
    const mine = ++turn;
    // A policy may forbid it.
    const all = ((await context?.getTools?.().catch(() => undefined)) ?? []).filter(
      (tool) => (tool.window ?? window) === window && !known.has(tool.name),
    );
    if (mine !== turn) return;
    for (const [name, { gone }] of listed) {
      if (all.some((tool) => tool.name === name)) continue;
      gone.abort();
      listed.delete(name);
    }
    for (const tool of all) {
      const text = JSON.stringify({ ...tool, window: 0 });
      const before = listed.get(tool.name);
      if (before?.text === text) continue;
      before?.gone.abort();
      const gone = new AbortController();
      listed.set(tool.name, { gone, text });
      publish(
        {
          ...(JSON.parse(text, checkable) as ListedTool),
          execute: (input, { signal }) => byBrowser(tool, input, signal),
        },
        gone.signal,
      );
    }
  };

  /** A browser returns every result as text, and hides errors. */
  const byBrowser = async (tool: ListedTool, input: object, signal: AbortSignal): Promise<unknown> => {
    const text = await context?.executeTool?.(tool, input, { signal }).catch((error: Error) => {
      throw /^Tool was executed/.test(error.message)
        ? new Error(`${error.message}; the browser keeps the error of a tool that was registered before eye.js came`)
        : error;
    });
    try {
      return /^[{[]/.test(text ?? "") ? (JSON.parse(text ?? "") as unknown) : text;
    } catch {
      return text;
    }
  };

  // A browser that supports forms lists them itself.
  const own =
    "agentInvoked" in SubmitEvent.prototype
      ? new Map<string, Callable>()
      : forms(core, publishOwn, () => standIn?.dispatchEvent(new Event("toolchange")));
  const polyfilled = standIn && polyfill(standIn, own);

  const part: WebMcpPart = {
    ask: (name, args) => Reflect.apply(Reflect.get(polyfilled ?? {}, name) as () => unknown, context, args),
    before(tool, stack) {
      const there = known.get(tool?.name);
      if (there !== undefined && isReload(there.site, siteOf(stack))) there.gone.abort();
    },
    heard(tool, signal, gone, done, stack) {
      const name = tool?.name;
      const mine = { gone, site: siteOf(stack) };
      if (!known.has(name)) known.set(name, mine);
      const forget = (): void => {
        if (known.get(name) === mine) known.delete(name);
      };
      signal.addEventListener("abort", forget);
      Promise.resolve(done).then(() => {
        if (!mirrored.has(tool)) publishOwn(tool, signal);
      }, forget);
    },
    mirror(definition, execute, signal) {
      if (context?.registerTool === undefined || signal.aborted) return;
      if (context.getTools === undefined && known.size >= PARTIAL_TOOLS_MAX) {
        blame(`document.modelContext gets ${PARTIAL_TOOLS_MAX} tools; the hub has them all`);
        return;
      }
      const { name } = definition;
      // Browsers ignore members of a tool that they do not know.
      const copy: Callable = { ...definition, description: definition.description || name, execute };
      mirrored.add(copy);
      Promise.resolve(context.registerTool(copy, { signal })).catch((error: Error) => {
        if (!signal.aborted) blame(`document.modelContext does not take the tool ${name}: ${error.message}`);
      });
    },
  };

  core.overheard.before = part.before;
  core.overheard.splice(0).forEach((one) => one(part));
  core.overheard.push = (one) => {
    one(part);
    return 0;
  };
  if (polyfilled === undefined && context?.getTools !== undefined) {
    context.addEventListener("toolchange", () => void list());
    void list();
  }
  return part;
}
