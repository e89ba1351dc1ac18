// A tab of either browser, with what a test of joining needs of it: it goes somewhere, runs code, and what it says is heard.

import type { BrowserContext } from "playwright-core";
import type { Browser as Firefox } from "puppeteer-core";

export interface Tab {
  /** All that the page, and the browser about it, has said: in its console and in dialogs. */
  readonly said: readonly string[];
  goto(url: string): Promise<void>;
  /** Runs code as a bookmark does: in the page, whatever its policy. */
  run(code: string): Promise<void>;
  /** Runs code in every document to come once it is parsed, as a userscript manager does. */
  atDocumentEnd(code: string): Promise<void>;
  close(): Promise<void>;
}

export async function chromiumTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("dialog", (dialog) => {
    said.push(dialog.message());
    void dialog.dismiss();
  });
  return {
    said,
    goto: async (url) => void (await page.goto(url)),
    run: async (code) => void (await page.evaluate(`void ${code}`)),
    atDocumentEnd: async (code) => void (await page.addInitScript(whenParsed(code))),
    close: () => page.close(),
  };
}

export async function firefoxTab(browser: Firefox): Promise<Tab> {
  const page = await browser.newPage();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("dialog", (dialog) => {
    said.push(dialog.message());
    void dialog.dismiss();
  });
  return {
    said,
    goto: async (url) => void (await page.goto(url)),
    run: async (code) => void (await page.evaluate(`void ${code}`)),
    atDocumentEnd: async (code) => void (await page.evaluateOnNewDocument(whenParsed(code))),
    close: () => page.close(),
  };
}

function whenParsed(code: string): string {
  return `document.addEventListener("DOMContentLoaded", () => {\n${code}\n});`;
}
