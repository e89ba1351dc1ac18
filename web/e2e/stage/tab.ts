// A tab of either browser, as tests of joining need it: it navigates, runs code, and records its messages.

import type { BrowserContext } from "playwright-core";
import type { Browser as Firefox } from "puppeteer-core";

export interface Tab {
  /** All messages of the page, and of the browser about it, in the console and in dialogs. */
  readonly messages: readonly string[];
  goto(url: string): Promise<void>;
  /** Runs code as a bookmark does: in the page, regardless of its policy. */
  run(code: string): Promise<void>;
  /** Runs code in every future document once it is parsed, as a userscript manager does. */
  atDocumentEnd(code: string): Promise<void>;
  close(): Promise<void>;
}

/** Methods that both browsers' drivers share. */
interface Driven {
  goto(url: string): Promise<unknown>;
  evaluate(code: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function chromiumTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const ears = new Ears();
  page.on("console", ears.console).on("dialog", ears.dialog);
  return tab(page, ears, (code) => page.addInitScript(code));
}

export async function firefoxTab(browser: Firefox): Promise<Tab> {
  const page = await browser.newPage();
  const ears = new Ears();
  page.on("console", ears.console).on("dialog", ears.dialog);
  return tab(page, ears, (code) => page.evaluateOnNewDocument(code));
}

class Ears {
  readonly messages: string[] = [];

  readonly console = (message: { text(): string }): void => void this.messages.push(message.text());

  readonly dialog = (dialog: { message(): string; dismiss(): Promise<void> }): void => {
    this.messages.push(dialog.message());
    // The tab may be closed, or gone to another page, before its browser has this answer.
    dialog.dismiss().catch(() => undefined);
  };
}

function tab(page: Driven, { messages }: Ears, inEveryDocument: (code: string) => Promise<unknown>): Tab {
  return {
    messages,
    goto: async (url) => void (await page.goto(url)),
    run: async (code) => void (await page.evaluate(`void ${code}`)),
    atDocumentEnd: async (code) =>
      void (await inEveryDocument(`document.addEventListener("DOMContentLoaded", () => {\n${code}\n});`)),
    close: () => page.close(),
  };
}
