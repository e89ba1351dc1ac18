// Holds the camera. It is where the map is looked at from this moment on, whatever the screen still shows on its way
// there.

import { allowed, visibleBounds, type Bounds, type Camera, type Extent } from "./camera.js";

export type Travel = "at once" | "gliding";

export class Viewport {
  readonly #watchers = new Set<(travel: Travel) => void>();
  #camera: Camera;

  constructor(
    camera: Camera,
    /** The size of the view in pixels of the page, now. */
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

  /** What is in view; `null` where the page shows nothing at all. */
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
