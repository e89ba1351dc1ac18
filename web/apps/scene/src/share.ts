// Pages that show one scene: tabs of one session in one browser, or pages of any browsers whose address names the same
// scene. Each follows what an agent or a person does in any of them.

import { isScene, type SceneModel } from "./model.js";
import type { Studio } from "./studio.js";

export interface Message {
  /** A tab that has just come wants the scene. */
  readonly asks?: true;
  readonly scene?: SceneModel;
  /** The page that says it, where what is said comes back to it too. */
  readonly by?: string;
}

/** The last of many changes is told, no more often than this. */
const TELL_MS = 50;

/** Tells the newest scene now and then, and everything else at once. */
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
    // What is shown already is not shown again, so that nothing goes in circles.
    if (!isScene(scene) || JSON.stringify(scene) === JSON.stringify(this.studio.scene)) return;
    this.#told = scene;
    this.studio.scene = scene;
  }
}
