// Holds the current scene, and notifies its views when it changes.

import type { SceneModel } from "./model.js";

export class Studio {
  readonly #watchers = new Set<() => void>();
  #scene: SceneModel;

  constructor(scene: SceneModel) {
    this.#scene = scene;
  }

  get scene(): SceneModel {
    return this.#scene;
  }

  set scene(next: SceneModel) {
    if (next === this.#scene) return;
    this.#scene = next;
    for (const watcher of this.#watchers) watcher();
  }

  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }
}
