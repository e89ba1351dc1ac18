// The part of eye.js that the app uses. The page also works without it, for a person alone.

export interface ToolContext {
  readonly signal: AbortSignal;
  progress(progress: number, total?: number, message?: string): void;
}

export interface OfferedTool {
  readonly name: string;
  execute(args: Record<string, unknown>, context: ToolContext): unknown;
  readonly [more: string]: unknown;
}

export interface Eye {
  readonly session: string;
  readonly connected: boolean;
  tool(tool: OfferedTool): Promise<void>;
  state(source: () => unknown): Promise<void>;
  changed(): void;
  subscribe(topic: string, heard: (message: unknown) => void): Promise<() => void>;
}

export function findEye(): Eye | undefined {
  return (globalThis as { readonly eye?: Eye }).eye;
}
