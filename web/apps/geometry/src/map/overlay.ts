// The overlays of the map: the grid, the curve, frames around cartridges and agents' regions, and marks.

import { d2xy } from "../hilbert.js";
import { GRID_PIXELS, pointOf, visibleBounds, type Camera, type Extent } from "./camera.js";
import { hilbertPath } from "./hilbert-path.js";
import type { Rect } from "./pixel-map.js";

const MARK_MS = 2400;
const STROKE_POINTS = 64;
const LINES_APART_MIN = 36;
const FRAME_TAG_MIN = 60;
const TAG_HEIGHT = 23;

export interface Framed extends Rect {
  readonly label: string;
  readonly kind: "cartridge" | "agent" | "program";
}

export interface Shown {
  readonly grid: boolean;
  readonly curve: boolean;
  /** Size of the grid that addresses refer to. */
  readonly gridSize: number;
}

interface Mark {
  readonly x: number;
  readonly y: number;
  readonly until: number;
}

const COLOURS: Readonly<Record<Framed["kind"], string>> = {
  cartridge: "#ffd479",
  agent: "#7fe0c3",
  program: "#b9a6ff",
};

export class Overlay {
  shown: Shown = { grid: true, curve: false, gridSize: 256 };
  #marks: Mark[] = [];

  constructor(
    readonly frames: () => readonly Framed[],
    readonly isCalm: () => boolean,
  ) {}

  /** Marks a pixel that was read, for a moment. */
  mark(x: number, y: number): void {
    this.#marks = [...this.#marks.slice(-15), { x, y, until: performance.now() + MARK_MS }];
  }

  /** Draws; returns whether something is animated. */
  draw(context: CanvasRenderingContext2D, camera: Camera, size: Extent): boolean {
    if (this.shown.grid) drawGrid(context, camera, size);
    if (this.shown.curve) drawCurve(context, camera, size, this.shown.gridSize);
    for (const framed of this.frames()) drawFrame(context, camera, size, framed);
    const now = performance.now();
    this.#marks = this.#marks.filter(({ until }) => until > now);
    for (const mark of this.#marks)
      drawMark(context, camera, size, mark, this.isCalm() ? 1 : (mark.until - now) / MARK_MS);
    return this.#marks.length > 0;
  }
}

function drawGrid(context: CanvasRenderingContext2D, camera: Camera, size: Extent): void {
  let apart = GRID_PIXELS;
  while (apart * camera.zoom < LINES_APART_MIN) apart *= 10;
  const { left, top, right, bottom } = visibleBounds(camera, size);
  for (let x = Math.ceil(left / apart) * apart; x <= right; x += apart)
    line(context, Math.round(pointOf(camera, size, { x, y: 0 }).x) + 0.5, 0, 0, size.height, x === 0 ? 0.5 : 0.13);
  for (let y = Math.ceil(top / apart) * apart; y <= bottom; y += apart)
    line(context, 0, Math.round(pointOf(camera, size, { x: 0, y }).y) + 0.5, size.width, 0, y === 0 ? 0.5 : 0.13);
}

function line(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  strength: number,
): void {
  context.strokeStyle = `rgb(214 232 255 / ${String(strength)})`;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + width, y + height);
  context.stroke();
}

function drawCurve(context: CanvasRenderingContext2D, camera: Camera, size: Extent, gridSize: number): void {
  const { pieces } = hilbertPath(gridSize, camera.zoom, visibleBounds(camera, size));
  context.strokeStyle = "rgb(255 168 130 / 0.85)";
  context.lineWidth = 1.5;
  for (const piece of pieces) {
    // Many short strokes are drawn faster than one long one.
    for (let from = 0; from < piece.length; from += STROKE_POINTS) {
      context.beginPath();
      for (const place of piece.slice(from, from + STROKE_POINTS + 1)) {
        const { x, y } = pointOf(camera, size, place);
        context.lineTo(x, y);
      }
      context.stroke();
    }
  }
  const end = d2xy(gridSize, gridSize * gridSize - 1);
  frame(context, camera, size, { x: 0, y: 0, width: gridSize, height: gridSize }, "rgb(255 168 130 / 0.9)");
  tag(
    context,
    camera,
    size,
    { x: 0, y: 0 },
    `Hilbert ${String(gridSize)} × ${String(gridSize)} · ends at ${String(end.x)}, ${String(end.y)}`,
    "#ffa882",
  );
}

function drawFrame(context: CanvasRenderingContext2D, camera: Camera, size: Extent, framed: Framed): void {
  const colour = COLOURS[framed.kind];
  context.setLineDash(framed.kind === "agent" ? [6, 4] : []);
  frame(context, camera, size, framed, colour);
  context.setLineDash([]);
  // An agent's label is inside the corner: a cartridge may have the same corner.
  const below = framed.kind === "agent" ? TAG_HEIGHT / camera.zoom : 0;
  if (framed.width * camera.zoom > FRAME_TAG_MIN)
    tag(context, camera, size, { x: framed.x, y: framed.y + below }, framed.label, colour);
}

function frame(
  context: CanvasRenderingContext2D,
  camera: Camera,
  size: Extent,
  { x, y, width, height }: Rect,
  colour: string,
): void {
  const corner = pointOf(camera, size, { x, y });
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(corner.x - 1, corner.y - 1, width * camera.zoom + 2, height * camera.zoom + 2);
}

/** A label at the upper left corner of something. */
function tag(
  context: CanvasRenderingContext2D,
  camera: Camera,
  size: Extent,
  place: { readonly x: number; readonly y: number },
  text: string,
  colour: string,
): void {
  const { x, y } = pointOf(camera, size, place);
  context.font = "500 11px system-ui, sans-serif";
  const { width } = context.measureText(text);
  context.fillStyle = "rgb(9 14 27 / 0.82)";
  context.fillRect(x - 2, y - 20, width + 12, 17);
  context.fillStyle = colour;
  context.fillText(text, x + 4, y - 7.5);
}

function drawMark(context: CanvasRenderingContext2D, camera: Camera, size: Extent, { x, y }: Mark, left: number): void {
  const middle = pointOf(camera, size, { x: x + 0.5, y: y + 0.5 });
  context.globalAlpha = Math.min(1, left * 2);
  context.strokeStyle = "#fff3d6";
  context.lineWidth = 2;
  context.beginPath();
  context.arc(middle.x, middle.y, 8 + 14 * left, 0, 2 * Math.PI);
  context.stroke();
  context.globalAlpha = 1;
}
