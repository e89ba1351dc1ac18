// Holds the camera. The camera is at its target at once; the screen may still be animating towards it.

import { allowed, visibleBounds, type Bounds, type Camera, type Extent } from "./camera.js";

export type Travel = "at once" | "gliding";

export class Viewport {
  readonly #watchers = new Set<(travel: Travel) => void>();
  #camera: Camera;

  constructor(
    camera: Camera,
    /** The current size of the view, in page pixels. */
    readonly measure: () => Extent,
  ) {
    this.#camera = allowed(camera);
  }

  get camera(): Camera {
    return this.#camera;
  }

  get size(): Extent {
    return this.measure();
  }

  /** The visible part of the map; `null` if the view has no size. */
  get bounds(): Bounds | null {
    const { size } = this;
    return size.width === 0 || size.height === 0 ? null : visibleBounds(this.#camera, size);
  }

  goTo(camera: Camera, travel: Travel): void {
    this.#camera = allowed(camera);
    for (const watcher of this.#watchers) watcher(travel);
  }

  watch(watcher: (travel: Travel) => void): void {
    this.#watchers.add(watcher);
  }
}
