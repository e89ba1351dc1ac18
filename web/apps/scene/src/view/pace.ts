// Where frames take long, a picture in motion is drawn with fewer pixels. At rest it is drawn once more, with all of
// them.

/** What is asked for later than this after a picture belongs to another motion. */
const MOTION_MS = 400;
const SLOW_FRAME_MS = 45;
const SLOW_FRAMES_MIN = 2;

export class Pace {
  #drawnAt = -Infinity;
  #slow = 0;

  /** Whether the frame that was asked for at one time and is drawn at the other is to be a coarse one. */
  isCoarse(askedAt: number, drawnAt: number): boolean {
    const isMotion = askedAt - this.#drawnAt <= MOTION_MS;
    this.#drawnAt = drawnAt;
    // Once it is known to be slow it stays so: coarse frames are quick for being coarse. One long wait may be a hidden
    // tab's.
    if (this.#slow < SLOW_FRAMES_MIN) this.#slow = isMotion && drawnAt - askedAt > SLOW_FRAME_MS ? this.#slow + 1 : 0;
    return isMotion && this.#slow >= SLOW_FRAMES_MIN;
  }
}
