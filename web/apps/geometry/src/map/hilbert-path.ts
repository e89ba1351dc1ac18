// The Hilbert curve as points to draw: as fine as the screen can show, and only the visible part. Pure.

import { d2xy } from "../hilbert.js";
import type { Bounds, Point } from "./camera.js";

/** Denser lines look like a grey area, not a curve. */
const CELL_PIXELS_MIN = 7;
export const POINTS_MAX = 40_000;

export interface HilbertPath {
  /** Map pixels from one point to the next. */
  readonly cell: number;
  /** Connected pieces, in map pixels. */
  readonly pieces: readonly (readonly Point[])[];
}

/** The curve of a grid of `size` map pixels a side that begins at the map's origin. */
export function hilbertPath(size: number, zoom: number, view: Bounds): HilbertPath {
  let cells = size;
  while (cells > 1 && (size / cells) * zoom < CELL_PIXELS_MIN) cells /= 2;
  const cell = size / cells;
  const pieces: Point[][] = [];
  let piece: Point[] = [];
  let count = 0;
  const visit = (first: number, side: number): void => {
    // An aligned square of 4^n cells is one section of the curve.
    const { x, y } = d2xy(cells, first);
    const [left, top] = [Math.floor(x / side) * side * cell, Math.floor(y / side) * side * cell];
    // One cell more on each side, so that lines leaving the view are drawn to its edge.
    const isOut =
      left > view.right + cell ||
      left + side * cell < view.left - cell ||
      top > view.bottom + cell ||
      top + side * cell < view.top - cell;
    if (isOut || count >= POINTS_MAX) {
      if (piece.length > 0) pieces.push(piece);
      piece = [];
    } else if (side === 1) {
      piece.push({ x: (x + 0.5) * cell, y: (y + 0.5) * cell });
      count++;
    } else {
      const quarter = (side * side) / 4;
      for (let part = 0; part < 4; part++) visit(first + part * quarter, side / 2);
    }
  };
  visit(0, cells);
  if (piece.length > 0) pieces.push(piece);
  return { cell, pieces };
}
