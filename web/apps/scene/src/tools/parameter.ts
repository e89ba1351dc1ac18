// The argument types of the scene's tools: the schema of each for the hub, and how its value is parsed.

import { COLOUR_REFUSAL, readColour, type Colour } from "../colour.js";
import { readDirection, type Direction } from "../direction.js";

/** Why a tool was not run. Its message is for the caller. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

export interface Parameter<T> {
  readonly schema: object;
  readonly optional: boolean;
  /** Throws `Refusal`. A missing value is `undefined`, and is passed only to optional parameters. */
  read(value: unknown, name: string): T;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
  /** The value must be larger than this. */
  readonly above?: number;
}

export function colour(description: string): Parameter<Colour> {
  return {
    // The hub accepts any text, so that the refusal here can list the names.
    schema: {
      type: "string",
      description: `${description}: a hex color code (e.g., "#ff0000") or an Apple crayon color name (e.g., "maraschino", "sea foam")`,
    },
    optional: false,
    read: (value) => readColour(value) ?? refuse(COLOUR_REFUSAL),
  };
}

export function number(description: string, bounds: Bounds = {}): Parameter<number> {
  const { min, max, above } = bounds;
  return {
    schema: {
      type: "number",
      ...(min !== undefined && { minimum: min }),
      ...(max !== undefined && { maximum: max }),
      ...(above !== undefined && { exclusiveMinimum: above }),
      description,
    },
    optional: false,
    read(value, name) {
      const fits =
        typeof value === "number" &&
        Number.isFinite(value) &&
        value >= (min ?? -Infinity) &&
        value <= (max ?? Infinity) &&
        value > (above ?? -Infinity);
      return fits ? value : refuse(`${name} must be ${words(bounds)}, not ${shown(value)}`);
    },
  };
}

/** An azimuth: a number, or the name of a direction. */
export function direction(description: string): Parameter<Direction> {
  return {
    schema: {
      anyOf: [{ type: "number", minimum: 0, maximum: 360 }, { type: "string" }],
      description: `${description}: 0 to 360 degrees or a direction name (e.g., "north", "NW", "SSE"), seen from the camera: 0 (north) is ahead, 90 (east) right, 180 (south) behind the camera, 270 (west) left`,
    },
    optional: false,
    read: (value, name) =>
      readDirection(value) ??
      refuse(
        `${name} must be a number from 0 to 360 or a direction name (north, NNE, NE, ENE, east, … NNW), not ${shown(value)}`,
      ),
  };
}

export function flag(description: string): Parameter<boolean> {
  return {
    schema: { type: "boolean", description },
    optional: false,
    read: (value, name) =>
      typeof value === "boolean" ? value : refuse(`${name} must be true or false, not ${shown(value)}`),
  };
}

/** A parameter that may be missing, and is then `undefined`. */
export function optional<T>(parameter: Parameter<T>): Parameter<T | undefined> {
  return {
    ...parameter,
    optional: true,
    read: (value, name) => (value === undefined ? undefined : parameter.read(value, name)),
  };
}

function words({ min, max, above }: Bounds): string {
  if (min !== undefined && max !== undefined) return `a number from ${String(min)} to ${String(max)}`;
  if (min !== undefined) return `a number of at least ${String(min)}`;
  return above === undefined ? "a number" : `a number above ${String(above)}`;
}

export function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

function refuse(why: string): never {
  throw new Refusal(why);
}
