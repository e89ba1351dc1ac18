// Tabs of one session in one browser show one scene. Agents ask the newest of them; the others follow what it, or a person in any, does.

import { isScene, type SceneModel } from "./model.js";
import type { Studio } from "./studio.js";

interface Message {
  /** A tab that has just come wants the scene. */
  readonly asks?: true;
  readonly scene?: SceneModel;
}

export class Sharing {
  /** What came from another tab is not told again. */
  #told: SceneModel | undefined;

  constructor(
    readonly studio: Studio,
    /** Tells all other tabs. */
    readonly tell: (message: Message) => void,
  ) {
    studio.watch(() => {
      if (studio.scene !== this.#told) tell({ scene: studio.scene });
    });
  }

  /** Asks for the scene that other tabs show. */
  ask(): void {
    this.tell({ asks: true });
  }

  heard(message: unknown): void {
    const { asks, scene } = (typeof message === "object" && message !== null ? message : {}) as Message;
    if (asks === true) this.tell({ scene: this.studio.scene });
    if (!isScene(scene)) return;
    this.#told = scene;
    this.studio.scene = scene;
  }
}
