// `window.geometryOSApp`: the map's interface for area agents and tests.

import type { Cartridges } from "./cartridge/cartridges.js";
import type { Camera } from "./map/camera.js";
import { PLACE_MAX } from "./map/camera.js";
import type { PixelMap } from "./map/pixel-map.js";
import type { Viewport } from "./map/viewport.js";
import type { WindowRow } from "./tools/tool.js";

/** Pixels per side of a returned region, at most. */
export const SAMPLES_MAX = 512;
const CHUNK_BYTES = 0x8000;

export interface ReadRegion {
  readonly x: number;
  readonly y: number;
  /** Size of the region, in map pixels. */
  readonly width: number;
  readonly height: number;
  /** Only every `step`-th pixel of every `step`-th line is returned. */
  readonly step: number;
  /** Size of the returned picture: `columns` times `rows` pixels. */
  readonly columns: number;
  readonly rows: number;
  /** Base64 of R, G, B, A of each pixel. */
  readonly rgba: string;
}

export interface GeometryOSApp {
  readonly camera: Camera;
  readonly windows: readonly WindowRow[];
  readonly mock: boolean;
  readRegion(x: number, y: number, width: number, height: number): ReadRegion;
  /** The WGSL of the topmost cartridge in the region that contains it. */
  shaderAt(x: number, y: number, width: number, height: number): string | null;
}

export function geometryOSApp(
  map: PixelMap,
  viewport: Viewport,
  cartridges: Cartridges,
  windows: () => readonly WindowRow[],
  mock: boolean,
): GeometryOSApp {
  return {
    get camera() {
      return viewport.camera;
    },
    get windows() {
      return windows();
    },
    mock,
    readRegion(x, y, width, height) {
      const rect = whole(x, y, width, height);
      const step = Math.max(1, Math.ceil(Math.max(rect.width, rect.height) / SAMPLES_MAX));
      const [columns, rows] = [Math.ceil(rect.width / step), Math.ceil(rect.height / step)];
      return { ...rect, step, columns, rows, rgba: base64(map.read(rect.x, rect.y, step, columns, rows)) };
    },
    shaderAt: (x, y, width, height) => cartridges.sourceAt(whole(x, y, width, height)) ?? null,
  };
}

/** The whole map pixels that the region touches. */
function whole(
  x: number,
  y: number,
  width: number,
  height: number,
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } {
  const all = [x, y, x + width, y + height];
  if (!all.every((place) => Number.isFinite(place) && Math.abs(place) <= PLACE_MAX) || width <= 0 || height <= 0)
    throw new RangeError("a region has x, y, and a positive width and height, on the map");
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return { x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top };
}

function base64(bytes: Uint8ClampedArray): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
}
