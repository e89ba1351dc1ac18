// The desktop app in a tab: served by the hub itself, joined, and called through the real CLI.

import type { BrowserContext, Page } from "playwright-core";
import type { CommandOutput } from "../../harness/home.js";
import type { Stage } from "./stage.js";
import { until } from "../../harness/until.js";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface WindowRow extends Box {
  readonly id: number;
  readonly title: string;
  readonly minimized: boolean;
}

export interface DesktopState {
  readonly user: string;
  readonly windows: readonly WindowRow[];
  readonly activeWindow: number | null;
  readonly apps: readonly string[];
}

export class Desktop {
  private constructor(
    readonly stage: Stage,
    readonly page: Page,
    readonly session: string,
  ) {}

  /** In its own browser context, so that no test finds the files of another. */
  static async open(stage: Stage, options: Parameters<Stage["browser"]["newContext"]>[0] = {}): Promise<Desktop> {
    const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    return Desktop.openIn(stage, context);
  }

  static async openIn(stage: Stage, context: BrowserContext): Promise<Desktop> {
    const page = await context.newPage();
    const answer = await page.goto(`${stage.home.url}/apps/desktop/`);
    if (answer?.ok() !== true)
      throw new Error("this hub has no desktop app; `npm run build -w eye-apps` makes it, before the hub is built");
    const session = await stage.joined(page);
    await page.waitForSelector("html[data-ready]");
    return new Desktop(stage, page, session);
  }

  eye(...args: string[]): Promise<CommandOutput> {
    return this.stage.home.eye("--page", this.session, ...args);
  }

  /** Runs a command and returns its output; fails with its error. */
  async output(...args: string[]): Promise<string> {
    const { stdout, stderr, code } = await this.eye(...args);
    if (code !== 0) throw new Error(`eye ${args.join(" ")}: ${stderr}`);
    return stdout.replace(/\n$/, "");
  }

  async evaluate<Value>(code: string): Promise<Value> {
    return JSON.parse(await this.output("eval", code, "--json")) as Value;
  }

  /** The state in the hub's cache. */
  async state(): Promise<DesktopState> {
    return JSON.parse(await this.output("state")) as DesktopState;
  }

  /** Waits until the hub's cache shows it. */
  shows<Value>(what: string, look: (state: DesktopState) => Value | undefined): Promise<Value> {
    return until(what, async () => look(await this.state()));
  }

  /** Pauses agents as a person does. The hub refuses calls once it has the page's report of it. */
  async pause(): Promise<void> {
    await this.page.click("#activity-light");
    await this.page.click("#activity .switch");
    await until("the hub knows of the pause", async () => ((await this.eye("look")).code === 4 ? true : undefined));
  }

  /** The position of an element on the screen, once it has stopped moving. */
  async box(selector: string): Promise<Box> {
    const element = this.page.locator(selector);
    await element.evaluate(async (one) => {
      const moving = (): Animation[] =>
        one.getAnimations({ subtree: true }).filter(({ playState }) => playState === "running");
      // An animation that another one replaces is cancelled, which rejects its promise.
      while (moving().length > 0) await Promise.allSettled(moving().map(({ finished }) => finished));
    });
    const box = await element.boundingBox();
    if (box === null) throw new Error(`${selector} is not to be seen`);
    return box;
  }

  /** Drags with the real mouse from a point of an element, by an offset. */
  async drag(
    selector: string,
    at: { readonly x: number; readonly y: number },
    by: readonly [number, number],
  ): Promise<void> {
    const { x, y } = await this.box(selector);
    await this.page.mouse.move(x + at.x, y + at.y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + at.x + by[0], y + at.y + by[1], { steps: 4 });
    await this.page.mouse.up();
  }

  /** Reloads the page, and waits until it has offered everything again. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.stage.joined(this.page);
    await this.page.waitForSelector("html[data-ready]");
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
