// The range of each quantity of the scene. A command's value beyond it is limited, and the answer says so.

export interface Range {
  readonly min: number;
  readonly max: number;
}

export const CAMERA_DISTANCE: Range = { min: 8, max: 64 };
/** About what the original's zoom of 5 to 0.5 showed. */
export const CAMERA_FOV: Range = { min: 6, max: 60 };
export const LIGHT_ELEVATION: Range = { min: 0, max: 90 };
// The others are limited only where arithmetic on a graphics card would fail.
export const LIGHT_DISTANCE: Range = { min: 0.5, max: 100 };
export const LIGHT_INTENSITY: Range = { min: 0, max: 1000 };
export const LIGHT_SIZE: Range = { min: 0.01, max: 100 };
export const MODEL_SCALE: Range = { min: 0.001, max: 1000 };

const DECIMALS = 1e6;
const FULL_TURN = 360;

export function clamp(value: number, { min, max }: Range): number {
  return Math.min(max, Math.max(min, value));
}

/** Removes the rounding errors of binary fractions: 22.99 + 5 is 27.99. */
export function tidy(value: number): number {
  // Adding 0 turns -0 into 0. Numbers that large have no such errors.
  return Math.abs(value) < Number.MAX_SAFE_INTEGER / DECIMALS ? Math.round(value * DECIMALS) / DECIMALS + 0 : value;
}

/** The remainder of an angle within one turn, with its sign. */
export function turn(degrees: number): number {
  return tidy(degrees % FULL_TURN);
}

/** An azimuth: from 0 up to, but not including, 360. */
export function compass(degrees: number): number {
  return turn(((degrees % FULL_TURN) + FULL_TURN) % FULL_TURN) % FULL_TURN;
}
