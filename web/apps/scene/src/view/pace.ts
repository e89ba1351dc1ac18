// On slow machines a moving picture is drawn with fewer pixels. At rest it is drawn once more with all of them.

/** A request later than this after a picture belongs to another motion. */
const MOTION_MS = 400;
const SLOW_FRAME_MS = 45;
const SLOW_FRAMES_MIN = 2;

export class Pace {
  #drawnAt = -Infinity;
  #slow = 0;

  /** Whether the frame requested at `askedAt` and drawn at `drawnAt` should be coarse. */
  isCoarse(askedAt: number, drawnAt: number): boolean {
    const isMotion = askedAt - this.#drawnAt <= MOTION_MS;
    this.#drawnAt = drawnAt;
    // A machine found to be slow stays so: coarse frames are only quick because they are coarse. Several slow frames
    // are required, because one long wait may be due to a hidden tab.
    if (this.#slow < SLOW_FRAMES_MIN) this.#slow = isMotion && drawnAt - askedAt > SLOW_FRAME_MS ? this.#slow + 1 : 0;
    return isMotion && this.#slow >= SLOW_FRAMES_MIN;
  }
}
