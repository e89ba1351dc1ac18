// Draws the map: tiles under the camera, coarser ones where those are not painted yet, and only when something has
// changed.

import { visibleBounds, type Camera, type Extent } from "./camera.js";
import { Glide } from "./glide.js";
import type { Meter } from "./meter.js";
import type { PixelMap } from "./pixel-map.js";
import { ancestorOf, levelFor, rectOf, TILE_PIXELS, Tiles, type Tile } from "./tiles.js";
import type { Travel, Viewport } from "./viewport.js";

const PIXEL_RATIO_MAX = 2;
const PAINT_MS_MAX = 6;
const ANCESTORS_MAX = 6;
/** Levels: one such tile covers 64 of the fine ones. */
const COARSER = 3;
/** The background of tiles that are not painted: the darkest colour of the ground. */
const DEEP = "#0d1526";

export type DrawOver = (context: CanvasRenderingContext2D, camera: Camera, size: Extent, now: number) => boolean;

export class View {
  readonly #tiles: Tiles;
  readonly #glide = new Glide();
  readonly #ground: CanvasRenderingContext2D;
  readonly #over: CanvasRenderingContext2D;
  #shown: Camera;
  #asked = false;

  constructor(
    readonly map: PixelMap,
    readonly viewport: Viewport,
    readonly meter: Meter,
    canvases: { readonly ground: HTMLCanvasElement; readonly over: HTMLCanvasElement },
    /** Draws the overlays; returns whether another frame is needed. */
    readonly drawOver: DrawOver,
    /** Whether the user prefers reduced motion. */
    readonly isCalm: () => boolean,
  ) {
    this.#ground = context(canvases.ground, { alpha: false });
    this.#over = context(canvases.over, {});
    this.#tiles = new Tiles(map);
    this.#shown = viewport.camera;
    map.watch(() => this.ask());
    viewport.watch((travel) => this.#moved(travel));
    new ResizeObserver(() => this.ask()).observe(canvases.ground);
  }

  /** Draws once, with the next frame. */
  ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => {
      this.#asked = false;
      this.#draw(now);
    });
  }

  #moved(travel: Travel): void {
    const { camera, size } = this.viewport;
    if (
      travel === "at once" ||
      this.isCalm() ||
      document.hidden ||
      !this.#glide.begin(this.#shown, camera, size, performance.now())
    ) {
      this.#glide.stop();
      this.#shown = camera;
    }
    this.ask();
  }

  #draw(now: number): void {
    const begun = performance.now();
    const { size } = this.viewport;
    if (size.width === 0 || size.height === 0) return;
    this.#shown = this.#glide.at(this.viewport.camera, performance.now());
    const ratio = Math.min(devicePixelRatio, PIXEL_RATIO_MAX);
    for (const { canvas } of [this.#ground, this.#over])
      fit(canvas, Math.round(size.width * ratio), Math.round(size.height * ratio));
    const missing = this.#drawTiles(ratio, begun);
    this.#over.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#over.clearRect(0, 0, size.width, size.height);
    const more = this.drawOver(this.#over, this.#shown, size, now);
    if (missing || more || this.#glide.isUnderWay) this.ask();
    this.meter.note(now, performance.now() - begun);
  }

  /** Returns whether tiles are still missing. */
  #drawTiles(ratio: number, begun: number): boolean {
    const { canvas } = this.#ground;
    const scale = this.#shown.zoom * ratio;
    this.#ground.imageSmoothingEnabled = false;
    this.#ground.fillStyle = DEEP;
    this.#ground.fillRect(0, 0, canvas.width, canvas.height);
    const tiles = this.#visible(levelFor(scale), { width: canvas.width / ratio, height: canvas.height / ratio });
    const missing = this.#paint(tiles, begun);
    for (const tile of tiles) this.#place(tile, scale);
    return missing;
  }

  /**
   * Paints coarse tiles first where nothing can be shown: a few of them cover the view at once. Returns whether time
   * ran out.
   */
  #paint(tiles: readonly Tile[], begun: number): boolean {
    const isToDo = (tile: Tile): boolean => this.#tiles.get(tile)?.stale !== false;
    const coarse = tiles.filter((tile) => !this.#isKnown(tile)).map((tile) => ancestorOf(tile, COARSER));
    const work = [...coarse, ...tiles];
    let painted = false;
    for (const tile of work) {
      if (!isToDo(tile)) continue;
      // At least one, however slow the machine is.
      if (painted && performance.now() - begun > PAINT_MS_MAX) return true;
      this.#tiles.paint(tile);
      painted = true;
    }
    return false;
  }

  /** Whether a coarser tile can be shown in its place. */
  #isKnown(tile: Tile): boolean {
    for (let up = 0; up <= ANCESTORS_MAX; up++) if (this.#tiles.get(ancestorOf(tile, up)) !== undefined) return true;
    return false;
  }

  /** The tiles under the view, from the middle outwards. */
  #visible(level: number, size: Extent): readonly Tile[] {
    const side = TILE_PIXELS * 2 ** level;
    const { left, top, right, bottom } = visibleBounds(this.#shown, size);
    const tiles: Tile[] = [];
    for (let row = Math.floor(top / side); row * side < bottom; row++) {
      for (let column = Math.floor(left / side); column * side < right; column++) tiles.push({ level, column, row });
    }
    const far = ({ column, row }: Tile): number =>
      Math.hypot((column + 0.5) * side - this.#shown.x, (row + 0.5) * side - this.#shown.y);
    return tiles.sort((one, other) => far(one) - far(other));
  }

  #place(tile: Tile, scale: number): void {
    const { canvas } = this.#ground;
    const { x, y, width } = rectOf(tile);
    const [toX, toY] = [
      (place: number) => Math.round((place - this.#shown.x) * scale + canvas.width / 2),
      (place: number) => Math.round((place - this.#shown.y) * scale + canvas.height / 2),
    ];
    const [left, top, right, bottom] = [toX(x), toY(y), toX(x + width), toY(y + width)];
    for (let up = 0; up <= ANCESTORS_MAX; up++) {
      const from = ancestorOf(tile, up);
      const known = this.#tiles.get(from);
      if (known === undefined) continue;
      const part = TILE_PIXELS / 2 ** up;
      const [partX, partY] = [tile.column - from.column * 2 ** up, tile.row - from.row * 2 ** up];
      this.#ground.drawImage(
        known.canvas,
        partX * part,
        partY * part,
        part,
        part,
        left,
        top,
        right - left,
        bottom - top,
      );
      return;
    }
  }
}

function context(canvas: HTMLCanvasElement, settings: CanvasRenderingContext2DSettings): CanvasRenderingContext2D {
  const found = canvas.getContext("2d", settings);
  if (found === null) throw new Error("this browser gives no 2D canvas");
  return found;
}

/** Setting a size clears a canvas, so it is set only when it changes. */
function fit(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
