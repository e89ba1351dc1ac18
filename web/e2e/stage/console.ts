// The console in a tab, opened by a real link; records everything that would violate its policy.

import type { BrowserContextOptions, Page } from "playwright-core";
import type { Home } from "../../harness/home.js";
import type { Stage } from "./stage.js";

export async function consoleLink(home: Home): Promise<string> {
  const { code, stdout, stderr } = await home.eye("console", "--print");
  if (code !== 0) throw new Error(`no link: ${stderr}`);
  return stdout.trim();
}

export class ConsoleTab {
  /** Requests to other origins than the console's. */
  readonly outside: string[] = [];
  /** Errors that the browser reported. */
  readonly errors: string[] = [];

  private constructor(
    readonly page: Page,
    readonly link: string,
  ) {
    const { origin, host } = new URL(link);
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !url.startsWith(`ws://${host}`) && !url.startsWith("data:"))
        this.outside.push(url);
    });
    page.on("console", (message) => message.type() === "error" && this.errors.push(message.text()));
    page.on("pageerror", (error) => this.errors.push(error.message));
  }

  static async open(stage: Stage, options: BrowserContextOptions = {}): Promise<ConsoleTab> {
    const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const tab = new ConsoleTab(await context.newPage(), await consoleLink(stage.home));
    await tab.page.goto(tab.link);
    await tab.page.waitForSelector(".live.live >> text=live");
    return tab;
  }

  async go(view: string): Promise<void> {
    await this.page.evaluate((hash) => (location.hash = hash), `#/${view}`);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
