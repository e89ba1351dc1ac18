// Measures how smoothly the map moves: frames per second and frame times of the last motion. A map at rest draws
// nothing, and reports idle.

/** Frames further apart belong to different motions. */
const MOTION_GAP_MS = 250;
const FRAMES_MAX = 120;

export interface Figures {
  /** Frames per second of the last motion; 0 before the first. */
  readonly fps: number;
  /** Average milliseconds between its frames. */
  readonly deltaTime: number;
  /** Average milliseconds for drawing a frame. */
  readonly frameTime: number;
  /** Whether nothing was drawn for a moment. */
  readonly idle: boolean;
}

export class Meter {
  #frames: { readonly at: number; readonly took: number }[] = [];

  note(at: number, took: number): void {
    const last = this.#frames.at(-1);
    if (last !== undefined && at - last.at > MOTION_GAP_MS) this.#frames = [];
    this.#frames.push({ at, took });
    if (this.#frames.length > FRAMES_MAX) this.#frames.shift();
  }

  figures(now: number): Figures {
    const [first, last] = [this.#frames[0], this.#frames.at(-1)];
    if (first === undefined || last === undefined) return { fps: 0, deltaTime: 0, frameTime: 0, idle: true };
    const gaps = this.#frames.length - 1;
    const deltaTime = gaps === 0 ? 0 : (last.at - first.at) / gaps;
    const frameTime = this.#frames.reduce((sum, { took }) => sum + took, 0) / this.#frames.length;
    return {
      fps: deltaTime === 0 ? 0 : round(1000 / deltaTime),
      deltaTime: round(deltaTime),
      frameTime: round(frameTime),
      idle: now - last.at > MOTION_GAP_MS,
    };
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
