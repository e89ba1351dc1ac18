// Painted squares of the map, cached for the next frames. Level n shows every 2^n-th pixel. Tiles are painted a few at
// a time.

import { touch, type PixelMap, type Rect } from "./pixel-map.js";

export const TILE_PIXELS = 128;
/** 64 KiB each. */
const TILES_MAX = 900;

export interface Tile {
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

export class Tiles {
  /** Least recently used first. */
  readonly #painted = new Map<string, { readonly tile: Tile; readonly canvas: OffscreenCanvas; stale: boolean }>();

  constructor(readonly map: PixelMap) {
    map.watch((changed) => {
      for (const painted of this.#painted.values()) if (touch(rectOf(painted.tile), changed)) painted.stale = true;
    });
  }

  /** The painted tile, and whether it is out of date. */
  get(tile: Tile): { readonly canvas: OffscreenCanvas; readonly stale: boolean } | undefined {
    const key = keyOf(tile);
    const painted = this.#painted.get(key);
    if (painted === undefined) return undefined;
    this.#painted.delete(key);
    this.#painted.set(key, painted);
    return painted;
  }

  paint(tile: Tile): void {
    const canvas = this.get(tile)?.canvas ?? new OffscreenCanvas(TILE_PIXELS, TILE_PIXELS);
    const { x, y } = rectOf(tile);
    const pixels = this.map.read(x, y, 2 ** tile.level, TILE_PIXELS, TILE_PIXELS);
    canvas.getContext("2d", { alpha: false })?.putImageData(new ImageData(pixels, TILE_PIXELS, TILE_PIXELS), 0, 0);
    this.#painted.set(keyOf(tile), { tile, canvas, stale: false });
    const [oldest] = this.#painted.keys();
    if (this.#painted.size > TILES_MAX && oldest !== undefined) this.#painted.delete(oldest);
  }
}

/** The part of the map that a tile shows. */
export function rectOf({ level, column, row }: Tile): Rect {
  const side = TILE_PIXELS * 2 ** level;
  return { x: column * side, y: row * side, width: side, height: side };
}

/** The coarsest level that still has a pixel for each screen pixel. */
export function levelFor(devicePixelsPerMapPixel: number): number {
  return Math.max(0, Math.floor(Math.log2(1 / devicePixelsPerMapPixel) + 1e-9));
}

/** The tile, this many levels coarser, that contains it. */
export function ancestorOf({ level, column, row }: Tile, levels: number): Tile {
  return { level: level + levels, column: Math.floor(column / 2 ** levels), row: Math.floor(row / 2 ** levels) };
}

function keyOf({ level, column, row }: Tile): string {
  return `${String(level)}/${String(column)}/${String(row)}`;
}
