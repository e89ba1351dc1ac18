// The geometry app in a tab, and the real CLI that calls it.

import { encode } from "fast-png";
import { crc32, deflateSync } from "node:zlib";
import type { BrowserContext, Page } from "playwright-core";
import type { CommandOutput } from "../../harness/home.js";
import type { Stage } from "./stage.js";
import { until } from "../../harness/until.js";

/** Even, so that the middle of the view is a corner of pixels. */
export const VIEW = { width: 640, height: 480 };

export type Reply = Readonly<Record<string, unknown>>;

export interface Rgba {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly a: number;
}

interface AppWindow {
  invokeWebMCPTool(name: string, args: object): Promise<Reply>;
  webmcpBridge: { getStatus(): { readonly registered: boolean } };
}

export class GeometryTab {
  private constructor(
    readonly stage: Stage,
    readonly page: Page,
    readonly session: string,
  ) {}

  static async open(
    stage: Stage,
    session: string,
    query = "",
    context: BrowserContext = stage.context,
  ): Promise<GeometryTab> {
    const page = await context.newPage();
    await page.setViewportSize(VIEW);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await stage.enter(page, `${stage.home.url}/apps/geometry/?sessionId=${session}${query}`);
    const tab = new GeometryTab(stage, page, session);
    await page.waitForFunction(
      () => (globalThis as unknown as Partial<AppWindow>).webmcpBridge?.getStatus().registered === true,
    );
    await until(
      "the hub has its tools",
      async () => (await tab.eye("tools")).stdout.includes("spawn_area_agent") || undefined,
    );
    return tab;
  }

  eye(...args: string[]): Promise<CommandOutput> {
    return this.stage.home.eye("--page", this.session, ...args);
  }

  /** Calls a tool through the CLI and the hub. */
  async call(tool: string, args: object = {}): Promise<Reply> {
    const { stdout, stderr, code } = await this.eye("call", tool, JSON.stringify(args));
    if (code !== 0) throw new Error(`${tool} failed: ${stderr}`);
    return JSON.parse(stdout) as Reply;
  }

  /** The error object of a call that must fail, through the CLI and the hub. */
  async refused(tool: string, args: object): Promise<Reply> {
    const { stdout, stderr, code } = await this.eye("call", tool, JSON.stringify(args));
    if (code !== 1) throw new Error(`${tool} ended with ${String(code)}: ${stdout}${stderr}`);
    return JSON.parse(stderr.replace(/^error: (page: )?/, "").split("\n")[0] ?? "") as Reply;
  }

  /** Calls a tool inside the page, as its own code does. */
  invoke(tool: string, args: object = {}): Promise<Reply> {
    return this.page.evaluate(([name, given]) => (globalThis as unknown as AppWindow).invokeWebMCPTool(name, given), [
      tool,
      args,
    ] as const);
  }

  async state<T>(path: string): Promise<T> {
    return JSON.parse((await this.eye("state", path)).stdout) as T;
  }

  /** Waits until the cache has a matching value; sends the page no request. */
  cached<T>(path: string, wanted: (value: T) => boolean): Promise<T> {
    return until(`the cached ${path} is as wanted`, async () => {
      const value = await this.state<T>(path);
      return wanted(value) ? value : undefined;
    });
  }

  /** The visible pixel at a point, with everything but the map hidden. */
  async seen(x: number, y: number): Promise<Rgba> {
    const png = await this.page.screenshot({
      clip: { x, y, width: 1, height: 1 },
      style: "main > :not(#map) { visibility: hidden }",
    });
    return this.page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(1, 1);
      const context = canvas.getContext("2d");
      context?.drawImage(image, 0, 0);
      const [r = 0, g = 0, b = 0, a = 0] = context?.getImageData(0, 0, 1, 1).data ?? [];
      return { r, g, b, a };
    }, png.toString("base64"));
  }
}

export function sameColour(one: Rgba, other: Rgba): boolean {
  return one.r === other.r && one.g === other.g && one.b === other.b;
}

/** A cartridge as the hub writes it: a picture, and its source in an iTXt chunk, compressed or not. */
export function cartridge(
  side: number,
  pixel: (x: number, y: number) => readonly [number, number, number, number],
  source?: { readonly wgsl: string; readonly packed: boolean },
): Buffer {
  const data = Uint8Array.from(
    Array.from({ length: side * side }, (_, at) => pixel(at % side, Math.floor(at / side))).flat(),
  );
  const png = Buffer.from(encode({ width: side, height: side, data, channels: 4, depth: 8 }));
  if (source === undefined) return png;
  const text = source.packed ? deflateSync(source.wgsl) : Buffer.from(source.wgsl);
  const body = Buffer.concat([Buffer.from("iTXtwgsl\0"), Buffer.from([source.packed ? 1 : 0, 0, 0, 0]), text]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  checksum.writeUInt32BE(crc32(body));
  const behindHeader = 33;
  return Buffer.concat([png.subarray(0, behindHeader), length, body, checksum, png.subarray(behindHeader)]);
}
