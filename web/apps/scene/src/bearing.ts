// The position of a light, as angles seen from the camera and as a point of the world. The angles are stored; the point
// is derived.

import type { Axes, Bearing } from "./model.js";
import { compass, tidy } from "./range.js";

/** The camera is on the z axis and looks along it: forward is -z, right is +x, up is y. */
export function toPoint({ azimuth, elevation, distance }: Bearing): Axes {
  const [around, above] = [radians(azimuth), radians(elevation)];
  const level = distance * Math.cos(above);
  return { x: level * Math.sin(around), y: distance * Math.sin(above), z: -level * Math.cos(around) };
}

/** The inverse. A light at the very centre has no direction: all values are 0. */
export function toBearing({ x, y, z }: Axes): Bearing {
  const distance = Math.hypot(x, y, z);
  if (distance === 0) return { azimuth: 0, elevation: 0, distance: 0 };
  return {
    azimuth: compass(degrees(Math.atan2(x, -z))),
    elevation: tidy(degrees(Math.asin(y / distance))),
    distance: tidy(distance),
  };
}

/** The shorter way from one azimuth to another; positive is clockwise on the compass. */
export function shortestTurn(from: number, to: number): number {
  const way = compass(to - from);
  return way > 180 ? tidy(way - 360) : way;
}

export function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

export function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
