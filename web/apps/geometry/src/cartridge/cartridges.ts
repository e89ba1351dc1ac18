// The cartridges that lie on the map, in the order in which they were put there. Bounded: the oldest makes room.

import type { Layer, PixelMap, Rect } from "../map/pixel-map.js";
import { touch } from "../map/pixel-map.js";

/** A picture is shown this many map pixels wide or high, whichever is more. */
export const SHOWN_PIXELS = 400;
export const CARTRIDGES_MAX = 64;

export interface Cartridge {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly layer: Layer;
  readonly sha256: string;
  readonly uniqueColors: number;
  /** Its WGSL, where the file carries it. */
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

  /** One that lay at the very same place is replaced. */
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

  /** The topmost that touches a rectangle and carries its source. */
  sourceAt(rect: Rect): string | undefined {
    return this.#all.findLast(({ layer, source }) => source !== undefined && touch(layer, rect))?.source;
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
