// The page client as the desktop uses it: loaded from the hub that served this page, and every ability it may lack
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
  /** Who said it, by the hub's word. */
  readonly from: string;
  /** The sender's own word for itself. */
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

/** `undefined` until it is loaded, and where no hub serves it. */
export function eye(): Eye | undefined {
  return (globalThis as { readonly eye?: Eye }).eye;
}

/** Adds the script tag and waits until it ran. A desktop without a hub is a desktop still. */
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
