// The app under test: loaded in a frame of its own, as users load it, and used through its globals.

import type { Eye } from "../eye.js";
import type { GeometryOSApp } from "../app.js";
import type { Bridge, PageGlobals } from "../bridge.js";
import type { Reply } from "../tools/desk.js";

export interface ModelContextTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object;
}

/** WebMCP, as far as the checks use it. */
export interface ModelContext extends EventTarget {
  getTools(): Promise<readonly ModelContextTool[]>;
  executeTool(tool: ModelContextTool, input: object): Promise<string | null>;
}

type AppWindow = Window &
  Required<PageGlobals> & {
    readonly geometryOSApp: GeometryOSApp;
    readonly eye?: Eye;
    readonly document: Document & { readonly modelContext?: ModelContext };
  };

const READY_MS_MAX = 30_000;

export class Subject {
  private constructor(readonly window: AppWindow) {}

  /** Resolves when its tools are registered, or when the app runs without a hub. */
  static async open(place: HTMLElement, title: string, url: string): Promise<Subject> {
    const frame = document.createElement("iframe");
    frame.title = title;
    frame.src = url;
    place.append(frame);
    await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
    const window = frame.contentWindow as AppWindow | null;
    if (window === null || !("webmcpBridge" in window)) throw new Error(`${url} did not start`);
    await registered(window);
    return new Subject(window);
  }

  get bridge(): Bridge {
    return this.window.webmcpBridge;
  }

  get app(): GeometryOSApp {
    return this.window.geometryOSApp;
  }

  get modelContext(): ModelContext | undefined {
    return this.window.document.modelContext;
  }

  /**
   * WebMCP's list, once it contains all of these names or half a minute has passed: a browser registers them one by
   * one.
   */
  async listed(context: ModelContext, names: readonly string[]): Promise<readonly ModelContextTool[]> {
    for (const late = AbortSignal.timeout(READY_MS_MAX); ; ) {
      const changed = new Promise((resolve) => {
        context.addEventListener("toolchange", resolve, { once: true });
        late.addEventListener("abort", resolve, { once: true });
      });
      const tools = await context.getTools();
      if (late.aborted || names.every((name) => tools.some((tool) => tool.name === name))) return tools;
      await changed;
    }
  }

  call(name: string, args: object = {}): Promise<Reply> {
    return this.window.invokeWebMCPTool(name, args);
  }
}

function registered(window: AppWindow): Promise<void> {
  return new Promise((resolve, reject) => {
    if (window.webmcpBridge.getStatus().registered) {
      resolve();
      return;
    }
    const late = setTimeout(() => reject(new Error("the app did not say webmcp-ready within 30 s")), READY_MS_MAX);
    window.addEventListener("webmcp-ready", () => {
      clearTimeout(late);
      resolve();
    });
  });
}
