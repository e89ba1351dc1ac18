// The part of eye.js that the scene uses. The page also works without it, for a person alone.

export interface OfferedTool {
  readonly name: string;
  execute(args: Record<string, unknown>): unknown;
  readonly [more: string]: unknown;
}

export interface Eye {
  readonly session: string;
  readonly connected: boolean;
  tool(tool: OfferedTool): Promise<void>;
  state(source: () => unknown, options?: { restore(state: unknown): void }): Promise<void>;
  changed(): void;
  publish(topic: string, message: unknown, options?: { readonly queue?: boolean }): Promise<unknown>;
  subscribe(topic: string, heard: (message: unknown) => void): Promise<unknown>;
}

export function findEye(): Eye | undefined {
  return (globalThis as { readonly eye?: Eye }).eye;
}
