// The page client as the desktop uses it: loaded from the hub that served this page; features that it may lack are
// optional.

export interface EyeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
  execute(args: Record<string, unknown>): unknown;
}

export interface EyeApp {
  readonly name: string;
  readonly title: string;
  readonly icon: string;
  open(): unknown;
  close?(): void;
  onMessage?(message: unknown, from: string): unknown;
}

interface TopicMessage {
  /** The sender's name according to the hub. */
  readonly from: string;
  /** The name that the sender gave itself. */
  readonly as?: string;
}

export interface Eye {
  readonly session: string;
  readonly connected: boolean;
  tool(tool: EyeTool): Promise<void>;
  state(source: () => unknown): Promise<void>;
  changed(): void;
  app?(app: EyeApp): unknown;
  publish?(topic: string, message: unknown, options: object): Promise<unknown>;
  subscribe?(topic: string, listener: (message: unknown, about: TopicMessage) => void): Promise<() => void>;
  tell?(message: unknown): unknown;
  pause?(message: string, hint: string): void;
  resume?(): void;
}

/** `undefined` until the client is loaded, and without a hub. */
export function eye(): Eye | undefined {
  return (globalThis as { readonly eye?: Eye }).eye;
}

/** Adds the script tag and waits until it ran. The desktop also works without a hub. */
export function loadEye(): Promise<Eye | undefined> {
  const tag = document.createElement("script");
  tag.src = "/eye.js";
  tag.dataset.alias = "desktop";
  const loaded = new Promise<void>((resolve) => {
    tag.addEventListener("load", () => resolve());
    tag.addEventListener("error", () => resolve());
  });
  document.head.append(tag);
  return loaded.then(eye);
}
