// The ground of the map: a colour for every pixel of an endless plane, computed from its position alone. Hills of
// smooth noise in a small palette; dithered between two colours, so that the map looks made of pixels at every zoom.

/** From low to high, as 0xRRGGBB. Quiet colours, so that pictures on the map stand out. */
const PALETTE = [
  0x0d1526, 0x101c33, 0x13243f, 0x162d4b, 0x193756, 0x1d4260, 0x234e68, 0x2d5b6e, 0x3c6974, 0x507a7c, 0x6b8d88,
  0x8ba398,
].map(opaque);

/** Distance between the hills of each size, as a power of two in map pixels, and their weight. */
const OCTAVES = [
  { shift: 10, weight: 0.44 },
  { shift: 8, weight: 0.3 },
  { shift: 6, weight: 0.17 },
  { shift: 4, weight: 0.09 },
] as const;

/** A 4 by 4 ordered dither, as fractions of one palette step. */
const DITHER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map((rank) => (rank + 0.5) / 16 - 0.5);
const DITHER_STRENGTH = 0.8;

/** Fills `out` with the pixels at x, x + step, … of each of `rows` lines, as little-endian RGBA. */
export function paintGround(x: number, y: number, step: number, columns: number, rows: number, out: Uint32Array): void {
  const hills = OCTAVES.map(({ shift, weight }) => new Hills(x, step, columns, shift, weight));
  const heights = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    const at = y + row * step;
    heights.fill(0);
    for (const each of hills) each.addTo(heights, at);
    for (let column = 0; column < columns; column++) {
      const dither = DITHER[((at & 3) << 2) | ((x + column * step) & 3)] ?? 0;
      out[row * columns + column] = colour((heights[column] ?? 0) + (dither * DITHER_STRENGTH) / PALETTE.length);
    }
  }
}

/** One pixel, as little-endian RGBA. */
export function groundAt(x: number, y: number): number {
  const one = new Uint32Array(1);
  paintGround(x, y, 1, 1, 1, one);
  return one[0] ?? 0;
}

/**
 * The hills of one size along a line: four corners around each pixel, blended smoothly. A corner is computed once for
 * all pixels around it.
 */
class Hills {
  readonly #side: number;
  /** The positions of the corners that this line touches, from left to right. */
  readonly #places: number[] = [];
  /** For each pixel, the corner on its left, and the fraction of the way to the next corner. */
  readonly #lefts: Int32Array;
  readonly #parts: Float64Array;
  #upper: Float64Array;
  #lower: Float64Array;
  readonly #edge: Float64Array;
  #row = NaN;

  constructor(
    x: number,
    step: number,
    columns: number,
    readonly shift: number,
    readonly weight: number,
  ) {
    this.#side = 1 << shift;
    this.#lefts = new Int32Array(columns);
    this.#parts = new Float64Array(columns);
    for (let column = 0; column < columns; column++) {
      const place = x + column * step;
      const cell = Math.floor(place / this.#side);
      if (this.#places.at(-1) === cell) this.#places.push(cell + 1);
      else if (this.#places.at(-2) !== cell) this.#places.push(cell, cell + 1);
      this.#lefts[column] = this.#places.length - 2;
      this.#parts[column] = smooth((place - cell * this.#side) / this.#side);
    }
    this.#upper = new Float64Array(this.#places.length);
    this.#lower = new Float64Array(this.#places.length);
    this.#edge = new Float64Array(this.#places.length);
  }

  addTo(heights: Float64Array, y: number): void {
    const row = Math.floor(y / this.#side);
    this.#goTo(row);
    const down = smooth((y - row * this.#side) / this.#side);
    for (let at = 0; at < this.#edge.length; at++)
      this.#edge[at] = blend(this.#upper[at] ?? 0, this.#lower[at] ?? 0, down);
    for (let column = 0; column < heights.length; column++) {
      const left = this.#lefts[column] ?? 0;
      heights[column] =
        (heights[column] ?? 0) +
        this.weight * blend(this.#edge[left] ?? 0, this.#edge[left + 1] ?? 0, this.#parts[column] ?? 0);
    }
  }

  #goTo(row: number): void {
    if (row === this.#row) return;
    if (row === this.#row + 1) [this.#upper, this.#lower] = [this.#lower, this.#upper];
    else this.#fill(this.#upper, row);
    this.#fill(this.#lower, row + 1);
    this.#row = row;
  }

  #fill(corners: Float64Array, row: number): void {
    for (let at = 0; at < corners.length; at++) corners[at] = corner(this.#places[at] ?? 0, row, this.shift);
  }
}

/** A fixed number from 0 to 1 for a corner. */
function corner(x: number, y: number, salt: number): number {
  let hash = Math.imul(x | 0, 0x27d4eb2d) ^ Math.imul(y | 0, 0x165667b1) ^ Math.imul(salt, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0xffffffff;
}

function smooth(part: number): number {
  return part * part * (3 - 2 * part);
}

function blend(from: number, to: number, part: number): number {
  return from + (to - from) * part;
}

/** Sums of noise gather around the middle; stretching them uses the whole palette. */
function colour(height: number): number {
  const stretched = (height - 0.5) * 1.5 + 0.46;
  const at = Math.floor(stretched * PALETTE.length);
  return PALETTE[Math.max(0, Math.min(PALETTE.length - 1, at))] ?? 0;
}

function opaque(rgb: number): number {
  return ((0xff << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
