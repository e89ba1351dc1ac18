// The Hilbert curve over a square grid: converts between index and position, exactly for every index of every grid up
// to 2^26 a side.

export interface GridPosition {
  readonly x: number;
  readonly y: number;
}

/** The largest grid whose indices are all exact numbers: its square is 2^52. */
export const GRID_SIZE_MAX = 2 ** 26;

/** Above it shifts would truncate an index, so it is divided. */
const SHIFTABLE_MAX = 2 ** 31 - 1;

export function isGridSize(size: number): boolean {
  return Number.isInteger(size) && size >= 1 && size <= GRID_SIZE_MAX && (size & (size - 1)) === 0;
}

/** The position of an index in a grid of this size. Neighbours along the curve are neighbours on the grid. */
export function d2xy(size: number, index: number): GridPosition {
  let x = 0;
  let y = 0;
  let rest = index;
  for (let side = 1; side < size; side *= 2) {
    const isLarge = rest > SHIFTABLE_MAX;
    const quarter = isLarge ? rest % 4 : rest & 3;
    rest = isLarge ? Math.floor(rest / 4) : rest >> 2;
    const right = quarter >> 1;
    const down = (quarter ^ right) & 1;
    if (down === 0) {
      if (right === 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      [x, y] = [y, x];
    }
    x += side * right;
    y += side * down;
  }
  return { x, y };
}

/** The index of a position: the inverse of `d2xy`. */
export function xy2d(size: number, x: number, y: number): number {
  let index = 0;
  for (let side = size / 2; side >= 1; side /= 2) {
    const right = (x & side) === 0 ? 0 : 1;
    const down = (y & side) === 0 ? 0 : 1;
    // Products instead of shifts, because the square may be beyond 2^31.
    index += side * side * ((3 * right) ^ down);
    x &= side - 1;
    y &= side - 1;
    if (down === 0) {
      if (right === 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      [x, y] = [y, x];
    }
  }
  return index;
}
