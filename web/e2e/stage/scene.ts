// The scene app in a tab, and the real CLI that calls it.

import type { BrowserContext, Page } from "playwright-core";
import type { CommandOutput } from "../../harness/home.js";
import type { Stage } from "./stage.js";
import { Traffic } from "./traffic.js";
import { until } from "../../harness/until.js";

/** For a machine without a graphics card. */
export const WEBGL_FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

/** Small, because the processor computes every pixel. */
export const VIEW = { width: 480, height: 300 };

/** Positions in a view of that size, in the initial scene. */
export const MODEL_AT = { x: 216, y: 144 } as const;
export const KEY_LIGHT_AT = { x: 334, y: 90 } as const;

export interface Told<T> {
  readonly value: T;
  readonly revision: number;
  readonly source: "cache" | "page";
  readonly wasCached: boolean;
  readonly stale: boolean;
  readonly time: string;
}

export class SceneTab {
  private constructor(
    readonly stage: Stage,
    readonly page: Page,
    readonly session: string,
    readonly traffic: Traffic,
  ) {}

  static async open(stage: Stage, session: string, context: BrowserContext = stage.context): Promise<SceneTab> {
    const page = await context.newPage();
    await page.setViewportSize(VIEW);
    const traffic = new Traffic(page);
    await stage.enter(page, `${stage.home.url}/apps/scene/?sessionId=${session}`);
    const tab = new SceneTab(stage, page, session, traffic);
    await until("the scene has published its state and offered its tools", async () => {
      const tools = await tab.eye("tools");
      return tools.stdout.includes("apply_scene_batch") && !(await tab.stateInfo("model.color")).stale
        ? true
        : undefined;
    });
    return tab;
  }

  eye(...args: string[]): Promise<CommandOutput> {
    return this.stage.home.eye("--page", this.session, ...args);
  }

  /** A tool's answer. */
  async call(tool: string, ...args: string[]): Promise<string> {
    const { stdout, stderr, code } = await this.eye("call", tool, ...args);
    if (code !== 0) throw new Error(`${tool} failed: ${stderr}`);
    return stdout.trimEnd();
  }

  /** The cached state with its metadata. */
  async stateInfo<T>(path: string, ...more: string[]): Promise<Told<T>> {
    const { stdout, stderr, code } = await this.eye("state", path, "--json", ...more);
    if (code !== 0) throw new Error(`the state of ${path} is not told: ${stderr}`);
    return JSON.parse(stdout) as Told<T>;
  }

  /** The cached value alone. */
  async state(path: string): Promise<string> {
    return (await this.eye("state", path)).stdout.trimEnd();
  }

  /** Waits until the cache has a matching value; sends the page no request. */
  cached(path: string, wanted: (value: string) => boolean): Promise<string> {
    return until(`the cached ${path} is as wanted`, async () => {
      const value = await this.state(path);
      return wanted(value) ? value : undefined;
    });
  }

  /** Waits until the cache has the rotation that the page shows in whole degrees; sends the page no request. */
  cachedAsShown(): Promise<string> {
    return until("the cached rotation is the one that is shown", async () => {
      const shown = await this.page.locator("#readings .wide").first().textContent();
      const cached = await this.state("model.rotation");
      const { x, y, z } = JSON.parse(cached) as { x: number; y: number; z: number };
      return [x, y, z].map((angle) => `${String(Math.round(angle) + 0)}°`).join(" ") === shown ? cached : undefined;
    });
  }

  /** The average colour of a square of the picture, without the text above it. */
  async seen(
    { x, y }: { readonly x: number; readonly y: number },
    side = 8,
  ): Promise<{ red: number; green: number; blue: number }> {
    const clip = { x: x - side / 2, y: y - side / 2, width: side, height: side };
    const png = (await this.page.screenshot({ clip, style: "main > :not(canvas) { visibility: hidden }" })).toString(
      "base64",
    );
    return this.page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(1, 1);
      const context = canvas.getContext("2d");
      context?.drawImage(image, 0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = context?.getImageData(0, 0, 1, 1).data ?? [];
      return { red, green, blue };
    }, png);
  }
}
