// The cartridges on the map, in the order in which they were placed. Bounded: the oldest is removed.

import type { Layer, PixelMap, Rect } from "../map/pixel-map.js";
import { touch } from "../map/pixel-map.js";

/** The larger side of a shown picture, in map pixels. */
export const SHOWN_PIXELS = 400;
export const CARTRIDGES_MAX = 64;

export interface Cartridge {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly layer: Layer;
  readonly sha256: string;
  readonly uniqueColors: number;
  /** Its WGSL, if the file contains it. */
  readonly source: string | undefined;
}

export class Cartridges {
  #all: readonly Cartridge[] = [];
  #count = 0;
  readonly #watchers = new Set<() => void>();

  constructor(readonly map: PixelMap) {}

  get all(): readonly Cartridge[] {
    return this.#all;
  }

  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  /** Places a cartridge; replaces one with the same URL at the same position. */
  put(cartridge: Omit<Cartridge, "id">): Cartridge {
    const { layer } = cartridge;
    const same = this.#all.find(
      (one) => one.url === cartridge.url && one.layer.x === layer.x && one.layer.y === layer.y,
    );
    if (same !== undefined) this.remove(same.id);
    const [oldest] = this.#all;
    if (this.#all.length >= CARTRIDGES_MAX && oldest !== undefined) this.remove(oldest.id);
    const put = { ...cartridge, id: `c${String(++this.#count)}` };
    this.#all = [...this.#all, put];
    this.map.put(layer);
    this.#changed();
    return put;
  }

  remove(id: string): void {
    const found = this.#all.find((one) => one.id === id);
    if (found === undefined) return;
    this.#all = this.#all.filter((one) => one !== found);
    this.map.take(found.layer);
    this.#changed();
  }

  /** The WGSL of the topmost cartridge that touches the rectangle and contains its source. */
  sourceAt(rect: Rect): string | undefined {
    return this.#all.findLast(({ layer, source }) => source !== undefined && touch(layer, rect))?.source;
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
