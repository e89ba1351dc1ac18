// What WebMCP's `document.modelContext` is to this client: the browser's, another's, or the stand-in's. All of it may
// be missing.

/** What a page registers, and what a browser lists. */
export interface ContextTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema?: object;
  readonly annotations?: object;
}

export interface ToolContext {
  readonly signal: AbortSignal;
}

export type Execute = (input: object, context: ToolContext) => unknown;

/** One that can be called, with its real value and its real error. */
export interface Callable extends ContextTool {
  readonly execute: Execute;
}

export interface ListedTool extends ContextTool {
  readonly window: Window;
  readonly origin: string;
}

export interface ModelContext extends EventTarget {
  registerTool(tool: Callable, options?: { readonly signal?: AbortSignal }): Promise<void>;
  getTools?(): Promise<ListedTool[]>;
  executeTool?(tool: ListedTool, input: object, options: ToolContext): Promise<string | null>;
}

export function refuse(text: string): never {
  throw new DOMException(text, "InvalidStateError");
}

/** Of a tool. */
export const NAME = /^[\w.-]{1,128}$/;

export function contextOf(page: Document): ModelContext | undefined {
  return (page as { readonly modelContext?: ModelContext }).modelContext;
}
