// The map itself: the ground, and the layers on it in order. Defines the colour of every pixel: the view, reads by
// address and agents' regions all come from here.

import { paintGround } from "./ground.js";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray;
}

/** A picture on the map. One pixel of it covers `scale` map pixels. */
export interface Layer extends Rect {
  readonly picture: Picture;
  readonly scale: number;
}

export interface Rgba {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly a: number;
}

export class PixelMap {
  #layers: readonly Layer[] = [];
  readonly #watchers = new Set<(changed: Rect) => void>();

  /** From the lowest to the topmost. */
  get layers(): readonly Layer[] {
    return this.#layers;
  }

  /** Calls back with each rectangle whose pixels have changed. */
  watch(watcher: (changed: Rect) => void): void {
    this.#watchers.add(watcher);
  }

  put(layer: Layer): void {
    this.#layers = [...this.#layers, layer];
    this.#changed(layer);
  }

  take(layer: Layer): void {
    if (!this.#layers.includes(layer)) return;
    this.#layers = this.#layers.filter((one) => one !== layer);
    this.#changed(layer);
  }

  at(x: number, y: number): Rgba {
    const [r = 0, g = 0, b = 0, a = 0] = this.read(x, y, 1, 1, 1);
    return { r, g, b, a };
  }

  /** The pixels at x, x + step, … of `rows` lines that are `step` apart. Positions are whole numbers. */
  read(x: number, y: number, step: number, columns: number, rows: number): Uint8ClampedArray<ArrayBuffer> {
    const words = new Uint32Array(columns * rows);
    const bytes = new Uint8ClampedArray(words.buffer);
    paintGround(x, y, step, columns, rows, words);
    const all: Rect = { x, y, width: (columns - 1) * step + 1, height: (rows - 1) * step + 1 };
    for (const layer of this.#layers) if (touch(layer, all)) lay(layer, x, y, step, columns, rows, bytes);
    return bytes;
  }

  #changed({ x, y, width, height }: Rect): void {
    for (const watcher of this.#watchers) watcher({ x, y, width, height });
  }
}

export function touch(one: Rect, other: Rect): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/**
 * Draws the requested pixels of a layer over what is there. Takes the nearest pixel of the picture, without blending.
 */
function lay(
  layer: Layer,
  x: number,
  y: number,
  step: number,
  columns: number,
  rows: number,
  out: Uint8ClampedArray,
): void {
  const { picture, scale } = layer;
  const first = (from: number, asked: number): number => Math.max(0, Math.ceil((from - asked) / step));
  const behind = (from: number, asked: number, count: number): number =>
    Math.min(count, Math.ceil((from - asked) / step));
  const [left, right] = [first(layer.x, x), behind(layer.x + layer.width, x, columns)];
  const [top, bottom] = [first(layer.y, y), behind(layer.y + layer.height, y, rows)];
  for (let row = top; row < bottom; row++) {
    const line = inside((y + row * step - layer.y + 0.5) / scale, picture.height) * picture.width;
    for (let column = left; column < right; column++) {
      const from = (line + inside((x + column * step - layer.x + 0.5) / scale, picture.width)) * 4;
      over(picture.rgba, from, out, (row * columns + column) * 4);
    }
  }
}

function inside(place: number, count: number): number {
  return Math.min(count - 1, Math.floor(place));
}

/** Source over; the ground is opaque, and so is the result. */
function over(source: Uint8ClampedArray, from: number, out: Uint8ClampedArray, to: number): void {
  const alpha = source[from + 3] ?? 0;
  for (let channel = 0; channel < 3; channel++) {
    out[to + channel] = Math.round(
      ((source[from + channel] ?? 0) * alpha + (out[to + channel] ?? 0) * (255 - alpha)) / 255,
    );
  }
}
