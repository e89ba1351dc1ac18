// The animated move from one camera to the next. Long moves are not animated, because they take too long.

import type { Camera, Extent } from "./camera.js";

const GLIDE_MS = 280;
const SCREENS_MAX = 4;

export class Glide {
  #from: Camera | undefined;
  #since = 0;

  /** Begins a move; `false` if it is too long to animate. */
  begin(from: Camera, to: Camera, view: Extent, now: number): boolean {
    const zoom = Math.min(from.zoom, to.zoom);
    const far =
      Math.hypot((to.x - from.x) / Math.max(1, view.width), (to.y - from.y) / Math.max(1, view.height)) * zoom;
    this.#from = far <= SCREENS_MAX ? from : undefined;
    this.#since = now;
    return this.#from !== undefined;
  }

  stop(): void {
    this.#from = undefined;
  }

  get isUnderWay(): boolean {
    return this.#from !== undefined;
  }

  /** The camera to show during the move to `to`. */
  at(to: Camera, now: number): Camera {
    const part = Math.min(1, Math.max(0, (now - this.#since) / GLIDE_MS));
    if (this.#from === undefined || part === 1) {
      this.#from = undefined;
      return to;
    }
    const eased = 1 - (1 - part) ** 3;
    const from = this.#from;
    // Equal steps of zoom are equal factors.
    return {
      x: from.x + (to.x - from.x) * eased,
      y: from.y + (to.y - from.y) * eased,
      zoom: from.zoom * (to.zoom / from.zoom) ** eased,
    };
  }
}
