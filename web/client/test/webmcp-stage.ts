// A page that offers tools, and the hub's view of it: in a browser with WebMCP, and in one without.

import { test } from "node:test";
import type { Browser, Page as Tab } from "playwright-core";
import { startChromium, startWebMcpChromium } from "./browsers.js";
import { Hub, type Connection, type Rpc } from "./hub.js";

const TEST_MS_MAX = 30_000;

export type Kind = "native" | "none";

export interface Told {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: { readonly properties: Record<string, object>; readonly required: string[] };
  readonly annotations?: object;
}

export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly stack?: string } };
}

export interface Scene {
  readonly hub: Hub;
  readonly tab: Tab;
  readonly page: Connection;
  /** Warnings and errors of the console, and uncaught errors. */
  readonly noise: string[];
}

let ids = 5000;

/** The tools that the hub has at this moment. */
export function offered(page: Connection): Map<string, Told> {
  const tools = new Map<string, Told>();
  for (const frame of page.frames) {
    if (typeof frame === "string") continue;
    if (frame.method === "tools/register") for (const tool of frame.params?.tools as Told[]) tools.set(tool.name, tool);
    if (frame.method === "tools/unregister") for (const name of frame.params?.names as string[]) tools.delete(name);
  }
  return tools;
}

export function offers(page: Connection, name: string, fits: (tool: Told) => boolean = () => true): Promise<Told> {
  return page.until(() => {
    const tool = offered(page).get(name);
    return tool !== undefined && fits(tool) ? tool : undefined;
  });
}

export function lacks(page: Connection, name: string): Promise<true> {
  return page.until(() => (offered(page).has(name) ? undefined : true));
}

export function begin(page: Connection, name: string, args: object = {}): string {
  const id = String(++ids);
  page.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } } as Rpc);
  return id;
}

export async function ended(page: Connection, id: string): Promise<Answer> {
  return (await page.frame((one) => typeof one !== "string" && one.id === id && one.method === undefined)) as Answer;
}

export async function call(page: Connection, name: string, args: object = {}): Promise<Answer> {
  return ended(page, begin(page, name, args));
}

/** One browser of a kind for all tests of a file. */
export class Stage {
  readonly #browsers = new Map<Kind, Promise<Browser>>();

  async close(): Promise<void> {
    for (const browser of this.#browsers.values()) await (await browser).close();
  }

  /** `document` is the page, including eye.js where it is wanted. */
  scene(name: string, kind: Kind, document: string, run: (scene: Scene) => Promise<void>): void {
    test(`${name} (${kind === "native" ? "the browser's WebMCP" : "a browser without"})`, {
      timeout: TEST_MS_MAX,
    }, async () => {
      const started = this.#browsers.get(kind) ?? (kind === "native" ? startWebMcpChromium() : startChromium());
      this.#browsers.set(kind, started);
      const hub = await new Hub().start();
      hub.pages.set(
        "/",
        `<!doctype html><meta charset="utf-8"><title>Tools</title><link rel="icon" href="data:,">${document}`,
      );
      const context = await (await started).newContext();
      try {
        const tab = await context.newPage();
        const noise: string[] = [];
        tab.on("console", (message) => {
          if (/error|warning/.test(message.type())) noise.push(message.text());
        });
        tab.on("pageerror", ({ message }) => noise.push(message));
        await tab.goto(hub.origin);
        await run({ hub, tab, page: await hub.joined(), noise });
      } finally {
        await context.close();
        await hub.stop();
      }
    });
  }
}
