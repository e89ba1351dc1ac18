// A page in a real browser, joined to a scripted hub, for tests that send verbs to it.

import { after, before, test } from "node:test";
import type { Browser, Page as Tab } from "playwright-core";
import { startChromium } from "./browsers.js";
import { type Connection, Hub, html, type Rpc } from "./hub.js";

export const TEST_MS_MAX = 20_000;

let browser: Browser;

before(async () => {
  browser = await startChromium();
});
after(() => browser.close());

export interface Scene {
  readonly hub: Hub;
  readonly tab: Tab;
  readonly page: Connection;
}

export interface Answer {
  readonly value?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly value?: unknown; readonly hint?: string };
  };
}

export function scene(
  name: string,
  run: (scene: Scene) => Promise<void>,
  document = html(),
  headers: Record<string, string> = {},
): void {
  test(name, { timeout: TEST_MS_MAX }, async () => {
    const hub = await new Hub().start();
    hub.pages.set("/", (_, response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(document),
    );
    const context = await browser.newContext();
    try {
      const tab = await context.newPage();
      await tab.goto(hub.origin);
      await run({ hub, tab, page: await hub.joined() });
    } finally {
      await context.close();
      await hub.stop();
    }
  });
}

let ids = 1000;

export function begin(page: Connection, verb: string, params: object): string {
  const id = String(++ids);
  page.send({ jsonrpc: "2.0", id, method: `page/${verb}`, params: { agent: "test", ...params } } as Rpc);
  return id;
}

/** The answer, typed or as a response, as a value. */
export async function answered(page: Connection, id: string): Promise<Answer> {
  const typed = new RegExp(`^${id}\\W`);
  const frame = await page.frame((one) =>
    typeof one === "string" ? typed.test(one) : one.id === id && one.method === undefined,
  );
  if (typeof frame !== "string") return frame as Answer;
  const text = frame.slice(id.length);
  return { value: text.startsWith("=") ? (JSON.parse(text.slice(1)) as unknown) : text.slice(1) };
}

export function ask(page: Connection, verb: string, params: object = {}): Promise<Answer> {
  return answered(page, begin(page, verb, params));
}

/** The text of a verb's answer. Fails with the verb's error. */
export async function told(page: Connection, verb: string, params: object = {}): Promise<string> {
  const { value, error } = await ask(page, verb, params);
  if (error !== undefined) throw new Error(`${error.message}; ${error.data?.hint ?? ""}`);
  return String(value);
}

/** The message of a verb's error. */
export async function refused(page: Connection, verb: string, params: object = {}): Promise<string> {
  const { value, error } = await ask(page, verb, params);
  if (error === undefined) throw new Error(`not refused: ${String(value)}`);
  return error.message;
}
