// The setup of most tests: a home with a hub, a site, and one browser.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { startChromium } from "../../harness/chromium.js";
import { Home } from "../../harness/home.js";
import { Site } from "./site.js";

export interface Eye {
  readonly session: string;
  readonly connected: boolean;
}

/** A tab that has joined the hub. */
export interface Visit {
  readonly page: Page;
  readonly session: string;
}

export class Stage {
  private constructor(
    readonly home: Home,
    readonly site: Site,
    readonly browser: Browser,
    /** Pages of one context share storage and locks, as one person's tabs do. */
    readonly context: BrowserContext,
  ) {}

  static open(...flags: string[]): Promise<Stage> {
    return Stage.openWith([], ...flags);
  }

  /** As `open`, with arguments for the hub. */
  static async openWith(up: readonly string[], ...flags: string[]): Promise<Stage> {
    return Stage.openIn(await Home.open(), up, ...flags);
  }

  /** As `openWith`, in a home that has no hub yet. */
  static async openIn(home: Home, up: readonly string[], ...flags: string[]): Promise<Stage> {
    await home.up(...up);
    const site = await Site.open(home.url);
    const browser = await startChromium(...flags);
    return new Stage(home, site, browser, await browser.newContext());
  }

  /** Opens a page in its own tab and waits until it has joined. */
  async visit(path: string): Promise<Visit> {
    const page = await this.context.newPage();
    await page.goto(this.site.url(path));
    return { page, session: await this.joined(page) };
  }

  /** Navigates a tab to a URL, such as one of the hub's own apps, and waits until it has joined. */
  async enter(page: Page, url: string): Promise<Visit> {
    const response = await page.goto(url);
    if (response?.ok() !== true) throw new Error(`${url} is not there: ${(await response?.text()) ?? "no answer"}`);
    return { page, session: await this.joined(page) };
  }

  /** Waits until a tab has joined, and returns its session. */
  async joined(page: Page): Promise<string> {
    const session = await page.waitForFunction(() => {
      const { eye } = globalThis as { eye?: Eye };
      return eye?.connected === true ? eye.session : undefined;
    });
    const id = await session.jsonValue();
    if (id === undefined) throw new Error("the page has no session");
    await this.home.joined(id);
    return id;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.site.close();
    await this.home.close();
  }
}
