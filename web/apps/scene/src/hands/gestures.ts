// Pointers and the wheel on the canvas: which gesture turns the model, moves the camera or moves a light.

import type { LightName } from "../model.js";
import type { Reach } from "./reach.js";
import type { Turning } from "./turning.js";

const DOLLY_PER_PIXEL = 0.0008;
/** A trackpad's pinch arrives as a wheel with small steps. */
const PINCH_PER_PIXEL = 0.01;
const FOV_PER_PIXEL = 0.02;
const LIGHT_DEGREES_PER_PIXEL = 0.25;
const LINE_PIXELS = 16;
const PAGE_PIXELS = 400;
const WHEEL_PIXELS_MAX = 400;

/** The part of the view that gestures need. */
export interface Sight {
  lightAt(x: number, y: number): LightName | undefined;
  hold(light: LightName | undefined): void;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

type Gesture =
  | { readonly kind: "turning" }
  | { readonly kind: "moving"; readonly light: LightName; readonly isBehind: boolean }
  | { readonly kind: "pinching" };

export class Gestures {
  readonly #pointers = new Map<number, Point>();
  #gesture: Gesture | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly sight: Sight,
    readonly turning: Turning,
    readonly reach: Reach,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => this.#up(event));
    canvas.addEventListener("pointerleave", () => this.#hover(undefined));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    const place = this.#place(event);
    this.#pointers.set(event.pointerId, place);
    this.turning.stop();
    if (this.#pointers.size === 2) this.#begin({ kind: "pinching" });
    if (this.#pointers.size !== 1) return;
    const light = this.sight.lightAt(place.x, place.y);
    this.#hover(light);
    if (light !== undefined) {
      this.#begin({ kind: "moving", light, isBehind: this.reach.isBehind(light) });
    } else {
      this.#begin({ kind: "turning" });
      this.turning.take(place.x, place.y, this.canvas.clientWidth, this.canvas.clientHeight, event.timeStamp);
    }
  }

  #move(event: PointerEvent): void {
    const place = this.#place(event);
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) {
      if (this.#gesture === undefined) this.#hover(this.sight.lightAt(place.x, place.y));
      return;
    }
    const spread = this.#spread();
    this.#pointers.set(event.pointerId, place);
    switch (this.#gesture?.kind) {
      case "turning":
        this.turning.drag(place.x, place.y, this.canvas.clientWidth, this.canvas.clientHeight, event.timeStamp);
        break;
      case "moving": {
        const { light, isBehind } = this.#gesture;
        this.reach.pull(
          light,
          (place.x - before.x) * LIGHT_DEGREES_PER_PIXEL,
          (before.y - place.y) * LIGHT_DEGREES_PER_PIXEL,
          isBehind,
        );
        this.sight.hold(light);
        break;
      }
      case "pinching":
        if (spread > 0 && this.#spread() > 0) this.reach.dolly(spread / this.#spread());
        break;
      case undefined:
        break;
    }
  }

  #up(event: PointerEvent): void {
    if (!this.#pointers.delete(event.pointerId)) return;
    if (this.#gesture?.kind === "turning") this.turning.letGo(event.timeStamp);
    // The finger that remains after a pinch does nothing.
    this.#begin(undefined);
    const { x, y } = this.#place(event);
    // A lifted finger hovers over nothing.
    this.#hover(event.pointerType === "mouse" ? this.sight.lightAt(x, y) : undefined);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.#place(event);
    // With shift, some browsers turn the wheel sideways.
    const pixels = clampPixels((event.deltaY || event.deltaX) * unit(event));
    const light = this.#gesture?.kind === "moving" ? this.#gesture.light : this.sight.lightAt(x, y);
    if (event.ctrlKey) this.reach.dolly(Math.exp(pixels * PINCH_PER_PIXEL));
    else if (event.shiftKey) this.reach.widen(pixels * FOV_PER_PIXEL);
    else if (light !== undefined) this.reach.walk(light, Math.exp(pixels * DOLLY_PER_PIXEL));
    else this.reach.dolly(Math.exp(pixels * DOLLY_PER_PIXEL));
    this.sight.hold(light);
  }

  #begin(gesture: Gesture | undefined): void {
    this.#gesture = gesture;
    if (gesture === undefined) delete this.canvas.dataset.hand;
    else this.canvas.dataset.hand = gesture.kind;
  }

  #hover(light: LightName | undefined): void {
    this.sight.hold(light);
    if (this.#gesture !== undefined) return;
    if (light === undefined) delete this.canvas.dataset.hand;
    else this.canvas.dataset.hand = "light";
  }

  #place(event: MouseEvent): Point {
    const { left, top } = this.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  /** The distance between two fingers; 0 with fewer. */
  #spread(): number {
    const [first, second] = this.#pointers.values();
    return first === undefined || second === undefined ? 0 : Math.hypot(first.x - second.x, first.y - second.y);
  }
}

function unit({ deltaMode }: WheelEvent): number {
  if (deltaMode === WheelEvent.DOM_DELTA_LINE) return LINE_PIXELS;
  return deltaMode === WheelEvent.DOM_DELTA_PAGE ? PAGE_PIXELS : 1;
}

function clampPixels(pixels: number): number {
  return Math.max(-WHEEL_PIXELS_MAX, Math.min(WHEEL_PIXELS_MAX, pixels));
}
