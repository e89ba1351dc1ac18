// Where frames take long, a picture in motion is drawn with fewer pixels. Whoever draws does so once more, with all of them, at rest.

/** Frames further apart than this belong to different motions. */
const MOTION_MS = 400;
const SLOW_FRAME_MS = 45;
const SLOW_FRAMES_MIN = 2;

export class Pace {
  #last = -Infinity;
  #slow = 0;

  /** Whether the frame at this time is to be a coarse one. */
  isCoarse(now: number): boolean {
    const gap = now - this.#last;
    this.#last = now;
    if (gap > MOTION_MS) return false;
    // Once it is known to be slow it stays so: coarse frames are quick for being coarse.
    if (this.#slow < SLOW_FRAMES_MIN) this.#slow = gap > SLOW_FRAME_MS ? this.#slow + 1 : 0;
    return this.#slow >= SLOW_FRAMES_MIN;
  }
}
