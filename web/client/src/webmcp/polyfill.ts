// A strict polyfill of WebMCP's draft, for pages that request it in browsers without it: completes the stand-in. It
// knows nothing of the hub. Errors are Chromium's; as there, an error of a tool does not reach its caller.

import { NAME, refuse, type Callable, type ListedTool, type ModelContext as Context } from "./context.js";

const HINTS = ["consequentialHint", "debugging", "readOnlyHint", "untrustedContentHint"];

type Members = Readonly<Record<string, unknown>>;
type Options = { readonly signal?: AbortSignal } & Members;

/** The stand-in's new prototype; `forms` are tools, too. */
export function polyfill(context: Context, forms: ReadonlyMap<string, Callable>): object {
  const tools = new Map<string, Callable>();
  const changed = (): unknown => context.dispatchEvent(new Event("toolchange"));

  const checks = (method: string, self: object): Check => {
    const check: Check = (good, text) => {
      if (!good) throw new TypeError(`Failed to execute '${method}' on 'ModelContext': ${text}`);
    };
    check(self === context, "Illegal invocation");
    return check;
  };

  class ModelContext extends EventTarget {
    constructor() {
      super();
      throw new TypeError("Illegal constructor");
    }

    async registerTool(tool?: Members, options?: Options): Promise<void> {
      const check = checks("registerTool", this);
      const {
        annotations,
        description,
        execute,
        inputSchema,
        name,
        title = "",
      } = read(check, "ModelContextTool", tool ?? 0, "description", "execute", "name");
      check(
        typeof execute === "function",
        "Failed to read the 'execute' property from 'ModelContextTool': The given value is not a function.",
      );
      const { exposedTo, signal } = read(check, "ModelContextRegisterToolOptions", options) as Options;
      const mine = {
        ...(annotations !== undefined && {
          annotations: Object.fromEntries(HINTS.map((hint) => [hint, Boolean((annotations as Members)[hint])])),
        }),
        description: `${description}`,
        execute: execute as Callable["execute"],
        ...(inputSchema !== undefined && { inputSchema: JSON.parse(written(check, "schema", inputSchema)) as object }),
        name: `${name}`,
        title: `${title}`,
      };
      if (!NAME.test(mine.name)) refuse("Invalid tool name");
      if (tools.has(mine.name) || forms.has(mine.name)) refuse("Duplicate tool name");
      if (mine.description === "") refuse("Description is required");
      secure(exposedTo, "exposedTo");
      signal?.throwIfAborted();
      tools.set(mine.name, mine);
      queueMicrotask(changed);
      signal?.addEventListener("abort", () => {
        tools.delete(mine.name);
        queueMicrotask(changed);
      });
      await undefined;
      signal?.throwIfAborted();
    }

    async getTools(options?: Options): Promise<ListedTool[]> {
      const check = checks("getTools", this);
      secure(read(check, "ModelContextGetToolOptions", options).fromOrigins, "fromOrigins");
      const all = [...tools.values(), ...forms.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      return all.map(({ execute: _, ...tool }) => ({ ...structuredClone(tool), origin: location.origin, window }));
    }

    async executeTool(tool?: Members, input: unknown = {}, options?: Options): Promise<string | null> {
      const check = checks("executeTool", this);
      const {
        name,
        origin,
        window: of,
      } = read(check, "RegisteredTool", tool ?? 0, "description", "name", "origin", "window");
      const text = written(check, "object", input);
      const { signal } = read(check, "ModelContextExecuteToolOptions", options) as Options;
      signal?.throwIfAborted();
      const toolName = `${name}`;
      const form = forms.get(toolName);
      const called = form ?? tools.get(toolName);
      if (called === undefined || origin !== location.origin || of !== window)
        throw unknown("The operation failed for an unknown transient reason (e.g. out of memory).");
      const aborter = new AbortController();
      const cancelled = new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => {
          reject(signal.reason);
          aborter.abort();
          context.dispatchEvent(new ToolCancelEvent("toolcancel", { toolName }));
        });
      });
      await undefined;
      const { execute } = called;
      const running = (async () => execute(JSON.parse(text) as object, { signal: aborter.signal }))();
      context.dispatchEvent(new ToolActivatedEvent("toolactivated", { toolName }));
      try {
        const value = await Promise.race([cancelled, running]);
        return form && value === null ? value : `${isObject(value) ? JSON.stringify(value) : value}`;
      } catch (error) {
        signal?.throwIfAborted();
        if (form) throw unknown((error as Error).message);
        console.error(`WebMCP tool execution failed: Uncaught ${error}`);
        throw unknown("Tool was executed but the invocation failed. For example, the script function threw an error");
      }
    }
  }

  class ToolEvent extends Event {
    readonly toolName: string;

    constructor(type: string, { toolName = "", ...init }: EventInit & { readonly toolName?: string } = {}) {
      super(type, init);
      this.toolName = toolName;
    }
  }
  class ToolActivatedEvent extends ToolEvent {}
  class ToolCancelEvent extends ToolEvent {}

  const { prototype } = ModelContext;
  for (const [name, Kind] of Object.entries({ ModelContext, ToolActivatedEvent, ToolCancelEvent })) {
    define(Kind, "name", name);
    define(Kind.prototype, Symbol.toStringTag, name);
    define(globalThis, name, Kind);
  }
  for (const name of ["toolchange", "toolactivated", "toolcancel"]) {
    let handler: EventListener | null = null;
    Object.defineProperty(prototype, `on${name}`, {
      configurable: true,
      enumerable: true,
      get: () => handler,
      set(next: unknown) {
        context.removeEventListener(name, handler);
        handler = isObject(next) ? (next as EventListener) : null;
        context.addEventListener(name, handler);
      },
    });
  }
  define(SubmitEvent.prototype, "agentInvoked", false);
  define(SubmitEvent.prototype, "respondWith", () =>
    refuse(
      "Failed to execute 'respondWith' on 'SubmitEvent': You can only call respondWith on an submit event that has agentInvoked == true.",
    ),
  );

  // Properties that the page has set on the stand-in are set again through the new prototype.
  const early = Object.entries(context).filter(([name]) => name !== "registerTool");
  for (const [name] of early) Reflect.deleteProperty(context, name);
  Object.setPrototypeOf(context, prototype);
  for (const [name, value] of early) if (!/Tools?$/.test(name)) Reflect.set(context, name, value);
  return prototype;
}

/** Throws the browser's error for an invalid argument. */
type Check = (good: boolean, text: string) => void;

function read(check: Check, kind: string, value: unknown, ...required: string[]): Members {
  check(isObject(value ?? {}), `The provided value is not of type '${kind}'.`);
  const members = { ...(value as Members | undefined) };
  for (const name of required)
    check(
      members[name] !== undefined,
      `Failed to read the '${name}' property from '${kind}': Required member is undefined.`,
    );
  return members;
}

function written(check: Check, what: string, value: unknown): string {
  check(isObject(value), `invalid input ${what}: value is not an object`);
  const text = JSON.stringify(value) as string | undefined;
  check(text !== undefined, `invalid input ${what}: toJSON() returns undefined`);
  return text ?? "";
}

function secure(origins: unknown, member: string): void {
  for (const origin of (origins ?? []) as string[]) {
    if (!/^https:|^http:\/\/(?:localhost|127\.)/.test(origin))
      throw new DOMException(`Only secure origins are allowed in the ${member} list.`, "SecurityError");
  }
}

function unknown(text: string): DOMException {
  return new DOMException(text, "UnknownError");
}

function define(owner: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

function isObject(value: unknown): value is object {
  return value !== null && /^[of]/.test(typeof value);
}
