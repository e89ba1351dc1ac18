// Pointers and the wheel on the map: one pointer drags, two pinch; the wheel pans, and with Ctrl it zooms, as trackpads
// do.

import { pannedBy, zoomedAt, type Point } from "../map/camera.js";
import type { Viewport } from "../map/viewport.js";
import type { Coast } from "./coast.js";

const ZOOM_PER_PIXEL = 0.0022;
/** A trackpad's pinch arrives as a wheel with small steps. */
const PINCH_PER_PIXEL = 0.01;
const PINCH_STEP_MAX = 50;
const LINE_PIXELS = 16;
const PAGE_PIXELS = 400;
const DOUBLE_CLICK_FACTOR = 2;

export class Gestures {
  readonly #pointers = new Map<number, Point>();

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly viewport: Viewport,
    readonly coast: Coast,
    /** Called with the point of the view under the pointer. */
    readonly pointed: (point: Point | undefined) => void,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => this.#up(event));
    canvas.addEventListener("pointerleave", () => pointed(undefined));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) =>
      this.#zoom(this.#point(event), event.shiftKey ? 1 / DOUBLE_CLICK_FACTOR : DOUBLE_CLICK_FACTOR, "gliding"),
    );
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#point(event));
    this.coast.stop();
    this.canvas.dataset.hand = "holding";
  }

  #move(event: PointerEvent): void {
    const point = this.#point(event);
    this.pointed(point);
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    const [middle, spread] = [this.#middle(), this.#spread()];
    this.#pointers.set(event.pointerId, point);
    const now = this.#middle();
    const moved = { x: now.x - middle.x, y: now.y - middle.y };
    this.viewport.goTo(pannedBy(this.viewport.camera, moved.x, moved.y), "at once");
    if (this.#pointers.size === 1) this.coast.note(moved.x, moved.y, event.timeStamp);
    else if (spread > 0 && this.#spread() > 0) this.#zoom(now, this.#spread() / spread);
  }

  #up(event: PointerEvent): void {
    if (!this.#pointers.delete(event.pointerId)) return;
    if (this.#pointers.size > 0) return;
    delete this.canvas.dataset.hand;
    this.coast.letGo(event.timeStamp);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    this.coast.stop();
    const unit = unitOf(event);
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey) {
      const isPinch = Math.abs(dy) < PINCH_STEP_MAX;
      this.#zoom(this.#point(event), Math.exp(-dy * (isPinch ? PINCH_PER_PIXEL : ZOOM_PER_PIXEL)));
    } else {
      // With shift, some browsers turn the wheel sideways and others leave that to the page.
      const sideways = event.shiftKey && dx === 0;
      this.viewport.goTo(pannedBy(this.viewport.camera, sideways ? -dy : -dx, sideways ? 0 : -dy), "at once");
    }
    this.pointed(this.#point(event));
  }

  #zoom(point: Point, factor: number, travel: "at once" | "gliding" = "at once"): void {
    this.viewport.goTo(zoomedAt(this.viewport.camera, this.viewport.size, point, factor), travel);
  }

  #point({ clientX, clientY }: MouseEvent): Point {
    const { left, top } = this.canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  #middle(): Point {
    const points = [...this.#pointers.values()];
    const sum = points.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 });
    return { x: sum.x / points.length, y: sum.y / points.length };
  }

  /** The distance between two fingers; 0 with fewer. */
  #spread(): number {
    const [first, second] = this.#pointers.values();
    return first === undefined || second === undefined ? 0 : Math.hypot(first.x - second.x, first.y - second.y);
  }
}

function unitOf({ deltaMode }: WheelEvent): number {
  if (deltaMode === WheelEvent.DOM_DELTA_LINE) return LINE_PIXELS;
  return deltaMode === WheelEvent.DOM_DELTA_PAGE ? PAGE_PIXELS : 1;
}
