// Converts between the scene's rotation in degrees and the quaternion that turning by hand needs; and the arcball
// itself.

import { Euler, Quaternion, Vector3 } from "three";
import { degrees, radians } from "../bearing.js";
import type { Axes } from "../model.js";

const HUNDREDTHS = 100;

export function toQuaternion({ x, y, z }: Axes): Quaternion {
  return new Quaternion().setFromEuler(new Euler(radians(x), radians(y), radians(z), "YXZ"));
}

/** In hundredths of a degree: finer than visible, and short to read. */
export function toRotation(orientation: Quaternion): Axes {
  const { x, y, z } = new Euler().setFromQuaternion(orientation, "YXZ");
  return { x: hundredth(degrees(x)), y: hundredth(degrees(y)), z: hundredth(degrees(z)) };
}

/** A position on the ball that fills the view; outside, on the sheet that continues it smoothly. */
export function onBall(x: number, y: number, width: number, height: number): Vector3 {
  const radius = Math.min(width, height) / 2;
  const [right, up] = [(x - width / 2) / radius, (height / 2 - y) / radius];
  const away = right * right + up * up;
  return new Vector3(right, up, away <= 0.5 ? Math.sqrt(1 - away) : 0.5 / Math.sqrt(away)).normalize();
}

/** The rotation from one position of the ball to the other. */
export function between(from: Vector3, to: Vector3): Quaternion {
  return new Quaternion().setFromUnitVectors(from, to);
}

/** A rotation as an axis whose length is its angle in radians. */
export function asVector(turn: Quaternion): Vector3 {
  const sign = turn.w < 0 ? -1 : 1;
  const axis = new Vector3(turn.x, turn.y, turn.z).multiplyScalar(sign);
  const sine = axis.length();
  return sine === 0 ? axis : axis.multiplyScalar((2 * Math.atan2(sine, turn.w * sign)) / sine);
}

export function fromVector(vector: Vector3): Quaternion {
  const angle = vector.length();
  return angle === 0 ? new Quaternion() : new Quaternion().setFromAxisAngle(vector.clone().divideScalar(angle), angle);
}

function hundredth(value: number): number {
  // Adding 0 turns -0 into 0.
  return Math.round(value * HUNDREDTHS) / HUNDREDTHS + 0;
}
