// Window geometry: pure rectangles, kept inside an area. No elements.

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** The sides that a resize moves, as compass letters. */
export type Edge = "n" | "s" | "e" | "w" | "ne" | "nw" | "se" | "sw";

export const WINDOW_MIN: Size = { width: 260, height: 180 };
const CASCADE_STEP = 32;
/** The size that is used to centre the cascade in the area. */
const CASCADE_SIZE: Size = { width: 520, height: 440 };
const CASCADE_LEN_MAX = 8;

/**
 * The nearest rectangle of at most this size that fits inside the area. The area wins over the minimum if it is too
 * small.
 */
export function fitted(rect: Rect, area: Rect, min: Size = WINDOW_MIN): Rect {
  const width = Math.min(Math.max(rect.width, min.width), area.width);
  const height = Math.min(Math.max(rect.height, min.height), area.height);
  return rounded({
    x: within(rect.x, area.x, area.x + area.width - width),
    y: within(rect.y, area.y, area.y + area.height - height),
    width,
    height,
  });
}

export function moved(rect: Rect, dx: number, dy: number, area: Rect): Rect {
  return fitted({ ...rect, x: rect.x + dx, y: rect.y + dy }, area);
}

/** Moves only the named sides; the opposite sides stay fixed, even at a limit. */
export function resized(rect: Rect, edge: Edge, dx: number, dy: number, area: Rect, min: Size = WINDOW_MIN): Rect {
  let { x, y } = rect;
  let right = x + rect.width;
  let bottom = y + rect.height;
  if (edge.includes("e")) right = within(right + dx, x + min.width, area.x + area.width);
  if (edge.includes("s")) bottom = within(bottom + dy, y + min.height, area.y + area.height);
  if (edge.includes("w")) x = within(x + dx, area.x, right - min.width);
  if (edge.includes("n")) y = within(y + dy, area.y, bottom - min.height);
  return rounded({ x, y, width: right - x, height: bottom - y });
}

/** The position of the next window: near the middle, each a step below and right of the previous one. */
export function placed(size: Size, area: Rect, count: number): Rect {
  const step = (count % CASCADE_LEN_MAX) * CASCADE_STEP;
  const x = area.x + Math.max((area.width - CASCADE_SIZE.width) / 2 - CASCADE_STEP * 2, 0) + step;
  const y = area.y + Math.max((area.height - CASCADE_SIZE.height) / 3 - CASCADE_STEP, 0) + step;
  return fitted({ ...size, x, y }, area);
}

/** Side by side in rows, without overlap. */
export function tiled(count: number, area: Rect, gap: number): readonly Rect[] {
  const columns = Math.ceil(Math.sqrt(count));
  const rows = Math.ceil(count / Math.max(columns, 1));
  const height = (area.height - gap * (rows + 1)) / rows;
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns);
    const inRow = row === rows - 1 ? count - columns * (rows - 1) : columns;
    const width = (area.width - gap * (inRow + 1)) / inRow;
    return rounded({
      x: area.x + gap + (index % columns) * (width + gap),
      y: area.y + gap + row * (height + gap),
      width,
      height,
    });
  });
}

function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, Math.max(least, most)));
}

function rounded({ x, y, width, height }: Rect): Rect {
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
}
