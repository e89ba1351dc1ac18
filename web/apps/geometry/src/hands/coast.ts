// Lets the map move on for a moment when it is released in motion.

import { pannedBy, type Camera } from "../map/camera.js";
import type { Viewport } from "../map/viewport.js";

/** Only the last movements count: after holding still, a release does not move the map. */
const MEMORY_MS = 90;
const FADE_MS = 260;
const SLOWEST_PX_PER_MS = 0.02;
const FRAME_MS_MAX = 64;

interface Moment {
  readonly at: number;
  readonly dx: number;
  readonly dy: number;
}

export class Coast {
  #moments: Moment[] = [];
  #frame: number | undefined;

  constructor(
    readonly viewport: Viewport,
    readonly isCalm: () => boolean,
    /** Called while the map moves by itself. */
    readonly moved: () => void,
  ) {}

  note(dx: number, dy: number, at: number): void {
    this.#moments = [...this.#moments.filter((moment) => at - moment.at <= MEMORY_MS), { at, dx, dy }];
  }

  stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#moments = [];
  }

  letGo(at: number): void {
    const recent = this.#moments.filter((moment) => at - moment.at <= MEMORY_MS);
    this.stop();
    const [first] = recent;
    if (first === undefined || recent.length < 2 || this.isCalm()) return;
    const ms = Math.max(1, at - first.at);
    const [dx, dy] = recent
      .slice(1)
      .reduce(([x, y], moment) => [x + moment.dx, y + moment.dy] as const, [0, 0] as readonly [number, number]);
    this.#go(dx / ms, dy / ms);
  }

  #go(speedX: number, speedY: number): void {
    let last: number | undefined;
    let mine: Camera = this.viewport.camera;
    const step = (now: number): void => {
      this.#frame = undefined;
      // The camera was moved otherwise in the meantime; coasting ends.
      if (this.viewport.camera !== mine) return;
      const passed = Math.min(now - (last ?? now), FRAME_MS_MAX);
      last = now;
      this.viewport.goTo(pannedBy(mine, speedX * passed, speedY * passed), "at once");
      mine = this.viewport.camera;
      this.moved();
      const fade = Math.exp(-passed / FADE_MS);
      speedX *= fade;
      speedY *= fade;
      if (Math.hypot(speedX, speedY) > SLOWEST_PX_PER_MS) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }
}
