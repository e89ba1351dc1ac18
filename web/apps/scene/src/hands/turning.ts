// Turns the model by hand, and lets it turn on for a moment when it is released in motion.

import type { Quaternion, Vector3 } from "three";
import { Vector3 as Vector } from "three";
import { radians } from "../bearing.js";
import { withModel, type Axes } from "../model.js";
import type { Studio } from "../studio.js";
import { asVector, between, fromVector, onBall, toQuaternion, toRotation } from "./orientation.js";

/** Only the last movements count: after holding still, a release does not turn the model. */
const MEMORY_MS_MIN = 80;
/** Where frames are slow, pointer events are rare too, so the memory is longer. */
const MEMORY_MS_MAX = 300;
const MEMORY_MOVES = 1.5;
const FADE_MS = 320;
const SLOWEST_PER_MS = radians(0.002);
const FASTEST_PER_MS = radians(0.7);
const FRAME_MS_MAX = 100;

interface Moment {
  readonly at: number;
  /** Milliseconds since the previous moment. */
  readonly ms: number;
  readonly turn: Vector3;
}

export interface Clock {
  /** Calls back with the time, before the next frame; returns the value for `cancel`. */
  frame(then: (now: number) => void): number;
  cancel(frame: number): void;
}

export class Turning {
  #from: Vector3 | undefined;
  #at = 0;
  #moments: Moment[] = [];
  #frame: number | undefined;
  /** The orientation at full precision, valid while nothing else has turned the model. */
  #fine: { readonly rotation: Axes; readonly orientation: Quaternion } | undefined;

  constructor(
    readonly studio: Studio,
    readonly clock: Clock,
    /** Whether the user prefers reduced motion. */
    readonly isCalm: () => boolean,
    /** Called while the model moves by itself. */
    readonly moved: () => void,
  ) {}

  take(x: number, y: number, width: number, height: number, at: number): void {
    this.stop();
    this.#at = at;
    this.#from = onBall(x, y, width, height);
    this.#moments = [];
  }

  drag(x: number, y: number, width: number, height: number, at: number): void {
    if (this.#from === undefined) return;
    const to = onBall(x, y, width, height);
    const turn = between(this.#from, to);
    this.#from = to;
    this.#moments = [
      ...this.#moments.filter((moment) => at - moment.at <= MEMORY_MS_MAX),
      { at, ms: Math.max(1, at - this.#at), turn: asVector(turn) },
    ];
    this.#at = at;
    this.#turn(turn);
  }

  letGo(at: number): void {
    if (this.#from === undefined) return;
    this.#from = undefined;
    const memory = Math.min(MEMORY_MS_MAX, Math.max(MEMORY_MS_MIN, MEMORY_MOVES * (this.#moments.at(-1)?.ms ?? 0)));
    const recent = this.#moments.filter((moment) => at - moment.at <= memory);
    this.#moments = [];
    if (this.isCalm() || recent.length === 0) return;
    const [turned, ms] = [
      recent.reduce((sum, { turn }) => sum.add(turn), new Vector()),
      recent.reduce((sum, moment) => sum + moment.ms, 0),
    ];
    const speed = turned.divideScalar(ms);
    this.#coast(speed.clampLength(0, FASTEST_PER_MS));
  }

  /** Turns about an axis of the view, in degrees. */
  by(axis: Readonly<Axes>, degrees: number): void {
    this.stop();
    this.#turn(fromVector(new Vector(axis.x, axis.y, axis.z).multiplyScalar(radians(degrees))));
  }

  stop(): void {
    if (this.#frame !== undefined) this.clock.cancel(this.#frame);
    this.#frame = undefined;
  }

  #coast(speed: Vector3): void {
    let last: number | undefined;
    const coast = (now: number): void => {
      this.#frame = undefined;
      // A rotation that was set in the meantime wins.
      if (last !== undefined && this.studio.scene.model.rotation !== this.#fine?.rotation) return;
      const passed = Math.min(now - (last ?? now), FRAME_MS_MAX);
      last = now;
      this.#turn(fromVector(speed.clone().multiplyScalar(passed)));
      this.moved();
      speed.multiplyScalar(Math.exp(-passed / FADE_MS));
      if (speed.length() > SLOWEST_PER_MS) this.#frame = this.clock.frame(coast);
    };
    this.#frame = this.clock.frame(coast);
  }

  #turn(turn: Quaternion): void {
    const { scene } = this.studio;
    const { rotation: before } = scene.model;
    const from = this.#fine?.rotation === before ? this.#fine.orientation : toQuaternion(before);
    const orientation = turn.clone().multiply(from).normalize();
    const rotation = toRotation(orientation);
    this.#fine = { rotation, orientation };
    this.studio.scene = withModel(scene, { rotation });
  }
}
