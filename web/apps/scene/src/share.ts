// Shares one scene between pages: tabs of one session in one browser, or pages in any browser whose address names the
// same scene. Each follows the changes made in any of them.

import { isScene, type SceneModel } from "./model.js";
import type { Studio } from "./studio.js";

export interface Message {
  /** A tab that has just opened requests the scene. */
  readonly asks?: true;
  readonly scene?: SceneModel;
  /** The sending page, where messages also come back to their sender. */
  readonly by?: string;
}

/** Of many changes only the last is sent, at most once in this time. */
const TELL_MS = 50;

/** Limits the rate of scene messages; sends all others at once. */
export function throttled(tell: (message: Message) => void): (message: Message) => void {
  let latest: Message | undefined;
  return (message) => {
    if (message.scene === undefined) tell(message);
    else {
      if (latest === undefined)
        setTimeout(() => {
          if (latest !== undefined) tell(latest);
          latest = undefined;
        }, TELL_MS);
      latest = message;
    }
  };
}

export class Sharing {
  /** The scene last received from another tab; it is not sent again. */
  #told: SceneModel | undefined;

  constructor(
    readonly studio: Studio,
    /** Sends to all other tabs. */
    readonly tell: (message: Message) => void,
  ) {
    studio.watch(() => {
      if (studio.scene !== this.#told) tell({ scene: studio.scene });
    });
  }

  /** Requests the scene that other tabs show. */
  ask(): void {
    this.tell({ asks: true });
  }

  heard(message: unknown): void {
    const { asks, scene } = (typeof message === "object" && message !== null ? message : {}) as Message;
    if (asks === true) this.tell({ scene: this.studio.scene });
    // A scene that is already shown is ignored, so that messages do not loop.
    if (!isScene(scene) || JSON.stringify(scene) === JSON.stringify(this.studio.scene)) return;
    this.#told = scene;
    this.studio.scene = scene;
  }
}
