// The types of WebMCP's `document.modelContext`, as implemented by the browser, another library, or the stand-in.
// Members may be missing.

/** A tool's definition, as pages register it and browsers list it. */
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

/** A tool that can be called, and that returns its own value and throws its own error. */
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

/** Valid names of tools. */
export const NAME = /^[\w.-]{1,128}$/;

export function contextOf(page: Document): ModelContext | undefined {
  return (page as { readonly modelContext?: ModelContext }).modelContext;
}
