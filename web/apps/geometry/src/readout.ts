// Shows the pixel under the pointer: its position, its Hilbert address, its colour. With the keyboard, the pixel in the
// middle.

import { el } from "../../desktop/src/el.js";
import { xy2d } from "./hilbert.js";
import { GRID_PIXELS, placeAt, type Point } from "./map/camera.js";
import type { PixelMap } from "./map/pixel-map.js";
import type { Viewport } from "./map/viewport.js";

export class Readout {
  readonly #place = el("span", {});
  readonly #address = el("span", { class: "address" });
  readonly #swatch = el("i", {});
  readonly #colour = el("span", {});
  #point: Point | undefined;

  constructor(
    element: HTMLElement,
    readonly map: PixelMap,
    readonly viewport: Viewport,
    readonly gridSize: () => number,
  ) {
    element.append(this.#place, this.#address, el("span", { class: "colour" }, this.#swatch, this.#colour));
  }

  /** `undefined` means the middle of the view. */
  point(point: Point | undefined): void {
    this.#point = point;
    this.show();
  }

  show(): void {
    const { camera, size } = this.viewport;
    const place = placeAt(camera, size, this.#point ?? { x: size.width / 2, y: size.height / 2 });
    const [x, y] = [Math.floor(place.x), Math.floor(place.y)];
    this.#place.textContent = `${String(x)}, ${String(y)} px · grid ${(x / GRID_PIXELS).toFixed(2)}, ${(y / GRID_PIXELS).toFixed(2)}`;
    this.#address.textContent = this.#addressOf(x, y);
    const { r, g, b } = this.map.at(x, y);
    const colour = `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    this.#swatch.style.background = colour;
    this.#colour.textContent = colour;
  }

  #addressOf(x: number, y: number): string {
    const size = this.gridSize();
    const isInside = x >= 0 && y >= 0 && x < size && y < size;
    return isInside ? `Hilbert ${String(xy2d(size, x, y))} of ${String(size)}²` : `outside of ${String(size)}²`;
  }
}
