// The names of the compass. North is where the camera looks, east is its right.

import { compass } from "./range.js";

const STEP = 22.5;
const SHORT = ["n", "nne", "ne", "ene", "e", "ese", "se", "sse", "s", "ssw", "sw", "wsw", "w", "wnw", "nw", "nnw"];
const LONG: Readonly<Record<string, string>> = {
  north: "n",
  northeast: "ne",
  east: "e",
  southeast: "se",
  south: "s",
  southwest: "sw",
  west: "w",
  northwest: "nw",
};

/** A direction in degrees, and as text for people. */
export interface Direction {
  readonly azimuth: number;
  readonly text: string;
}

/** `undefined`: neither a number from 0 to 360 nor the name of a direction. */
export function readDirection(value: unknown): Direction | undefined {
  if (typeof value === "number")
    return value >= 0 && value <= 360 ? { azimuth: compass(value), text: `${String(compass(value))}°` } : undefined;
  if (typeof value !== "string") return undefined;
  const name = value.toLowerCase().replace(/[\s.-]/g, "");
  const at = SHORT.indexOf(Object.hasOwn(LONG, name) ? (LONG[name] ?? "") : name);
  return at < 0 ? undefined : { azimuth: at * STEP, text: value.trim() };
}
