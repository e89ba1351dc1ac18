// The scene's geometry: bearings and points, angles, and the hand that turns the model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Quaternion, Vector3 } from "three";
import { shortestTurn, toBearing, toPoint } from "../scene/src/bearing.js";
import { readDirection } from "../scene/src/direction.js";
import { asVector, between, fromVector, onBall, toQuaternion, toRotation } from "../scene/src/hands/orientation.js";
import { Reach } from "../scene/src/hands/reach.js";
import { Turning } from "../scene/src/hands/turning.js";
import { INITIAL, MODEL_HEIGHT, withModel, type Axes } from "../scene/src/model.js";
import { compass, tidy, turn } from "../scene/src/range.js";
import { Studio } from "../scene/src/studio.js";
import { Pace } from "../scene/src/view/pace.js";

const VIEW = 400;

function near(seen: Axes, want: readonly [number, number, number], within = 1e-6): void {
  for (const [at, value] of [seen.x, seen.y, seen.z].entries())
    assert.ok(Math.abs(value - (want[at] ?? NaN)) <= within, `${JSON.stringify(seen)} is not ${String(want)}`);
}

test("azimuth 0 is ahead of the camera, 90 its right, 180 behind it, 270 its left, and 90 of elevation is overhead", () => {
  const at = (azimuth: number, elevation: number) => toPoint({ azimuth, elevation, distance: 2 });
  near(at(0, 0), [0, 0, -2]);
  near(at(90, 0), [2, 0, 0]);
  near(at(180, 0), [0, 0, 2]);
  near(at(270, 0), [-2, 0, 0]);
  near(at(33, 90), [0, 2, 0]);
});

test("the lights begin where the original has them", () => {
  const fromModel = ({ x, y, z }: Axes) => ({ x, y: y + MODEL_HEIGHT, z });
  near(fromModel(toPoint(INITIAL.keyLight.position)), [5, 3, 5], 0.01);
  near(fromModel(toPoint(INITIAL.fillLight.position)), [-5, 2, 5], 0.01);
});

test("a bearing made a point and back is the same bearing", () => {
  for (let azimuth = 0; azimuth < 360; azimuth += 7.5) {
    for (const elevation of [0, 12.25, 45, 89])
      assert.deepEqual(toBearing(toPoint({ azimuth, elevation, distance: 7.68 })), {
        azimuth,
        elevation,
        distance: 7.68,
      });
  }
  assert.deepEqual(
    toBearing({ x: 0, y: 0, z: 0 }),
    { azimuth: 0, elevation: 0, distance: 0 },
    "the middle has no direction",
  );
});

test("angles are kept within a turn, and fractions without dust", () => {
  assert.equal(compass(-10), 350);
  assert.equal(compass(360), 0);
  assert.equal(compass(-1e-9), 0);
  assert.equal(turn(-450), -90);
  assert.ok(Object.is(turn(-360), 0));
  assert.equal(tidy(22.99 + 5), 27.99);
  assert.equal(tidy(1e300), 1e300);
  assert.equal(shortestTurn(350, 10), 20);
  assert.equal(shortestTurn(10, 350), -20);
  assert.equal(shortestTurn(0, 180), 180);
});

test("directions have names, however they are written", () => {
  const names = "n nne ne ene e ese se sse s ssw sw wsw w wnw nw nnw".split(" ");
  for (const [at, name] of names.entries()) assert.equal(readDirection(name.toUpperCase())?.azimuth, at * 22.5);
  assert.equal(readDirection("North-West")?.azimuth, 315);
  assert.equal(readDirection("s. s. w.")?.azimuth, 202.5);
  assert.equal(readDirection(360)?.azimuth, 0);
  for (const none of ["upward", "", -1, 361, Number.NaN, true, null, "constructor"])
    assert.equal(readDirection(none), undefined);
});

test("a rotation made a quaternion and back is the same orientation", () => {
  for (const rotation of [
    { x: 0, y: 0, z: 0 },
    { x: 30, y: -45, z: 10 },
    { x: -80, y: 170, z: -120 },
  ]) {
    assert.deepEqual(toRotation(toQuaternion(rotation)), rotation);
  }
});

test("a turn is a vector and back", () => {
  const turn = between(onBall(100, 200, VIEW, VIEW), onBall(180, 240, VIEW, VIEW));
  assert.ok(fromVector(asVector(turn)).angleTo(turn) < 1e-6);
  assert.ok(fromVector(new Vector3()).angleTo(new Quaternion()) < 1e-9);
});

/** A hand on the model, with frames that come when the test says. */
function hand(isCalm = false): {
  studio: Studio;
  turning: Turning;
  moves: () => number;
  frame: (now: number) => boolean;
} {
  const studio = new Studio(INITIAL);
  let waiting: ((now: number) => void) | undefined;
  let moves = 0;
  const clock = {
    frame: (then: (now: number) => void) => {
      waiting = then;
      return 1;
    },
    cancel: () => {
      waiting = undefined;
    },
  };
  const turning = new Turning(
    studio,
    clock,
    () => isCalm,
    () => moves++,
  );
  const frame = (now: number): boolean => {
    const then = waiting;
    waiting = undefined;
    then?.(now);
    return then !== undefined;
  };
  return { studio, turning, moves: () => moves, frame };
}

function drag(turning: Turning): void {
  turning.take(200, 200, VIEW, VIEW, 0);
  for (let step = 1; step <= 5; step++) turning.drag(200 + 12 * step, 200, VIEW, VIEW, step * 16);
}

test("dragging to the right turns the front of the model to the right", () => {
  const { studio, turning } = hand();
  drag(turning);
  const { x, y, z } = studio.scene.model.rotation;
  assert.ok(y > 10 && y < 40, `yaw ${String(y)}`);
  assert.deepEqual([x, z], [0, 0]);
});

test("a model let go in motion turns on, slower and slower, says so while it moves, and rests", () => {
  const { studio, turning, moves, frame } = hand();
  drag(turning);
  turning.letGo(80);
  const yaws = [studio.scene.model.rotation.y];
  for (let now = 100; frame(now) && yaws.length < 1000; now += 16) yaws.push(studio.scene.model.rotation.y);
  const steps = yaws.slice(2).map((yaw, at) => yaw - (yaws[at + 1] ?? 0));
  assert.ok(steps.length > 10 && steps.length < 500, `${String(steps.length)} frames`);
  assert.ok((steps[0] ?? 0) > (steps[20] ?? 0) && (steps[20] ?? 0) > 0, String(steps));
  assert.equal(moves(), yaws.length - 1);
  assert.equal(frame(1e6), false, "at rest nothing asks for frames");
});

test("who holds still before letting go, or wants no motion, gets none", () => {
  const still = hand();
  drag(still.turning);
  still.turning.letGo(1000);
  assert.equal(still.frame(1016), false);
  const calm = hand(true);
  drag(calm.turning);
  calm.turning.letGo(80);
  assert.equal(calm.frame(96), false);
});

test("a hand that is heard of seldom is as fast as it was", () => {
  const yaws = [1, 10].map((slower) => {
    const { studio, turning, frame } = hand();
    turning.take(200, 200, VIEW, VIEW, 0);
    for (let step = 1; step <= 5; step++) turning.drag(200 + 12 * step, 200, VIEW, VIEW, step * 16 * slower);
    turning.letGo(80 * slower);
    frame(1000);
    const before = studio.scene.model.rotation.y;
    frame(1010);
    return studio.scene.model.rotation.y - before;
  });
  const [quick = 0, slow = 0] = yaws;
  assert.ok(slow > 0 && Math.abs(quick / slow - 10) < 1, String(yaws));
});

test("a rotation that is set ends the motion", () => {
  const { studio, turning, frame } = hand();
  drag(turning);
  turning.letGo(80);
  frame(100);
  frame(116);
  studio.scene = withModel(studio.scene, { rotation: { x: 1, y: 2, z: 3 } });
  frame(132);
  assert.deepEqual(studio.scene.model.rotation, { x: 1, y: 2, z: 3 });
  assert.equal(frame(148), false);
});

test("many small turns do not drift", () => {
  const { studio, turning } = hand();
  for (let step = 0; step < 3600; step++) turning.by({ x: 0, y: 1, z: 0 }, 0.1);
  assert.deepEqual(studio.scene.model.rotation, { x: 0, y: 0, z: 0 });
});

test("hands stay within what the scene can have, and a pulled light goes where it is pulled", () => {
  const studio = new Studio(INITIAL);
  const reach = new Reach(studio);
  reach.dolly(100);
  assert.equal(studio.scene.camera.distance, 64);
  reach.widen(-100);
  assert.equal(studio.scene.camera.fov, 6);
  reach.walk("keyLight", 1e-6);
  assert.equal(studio.scene.keyLight.position.distance, 0.5);
  const before = toPoint(studio.scene.fillLight.position);
  reach.pull("fillLight", 10, 10);
  const after = toPoint(studio.scene.fillLight.position);
  assert.ok(after.x > before.x && after.y > before.y, "a light before the model");
  studio.scene = {
    ...studio.scene,
    fillLight: { ...INITIAL.fillLight, position: { azimuth: 0, elevation: 0, distance: 5 } },
  };
  reach.pull("fillLight", 10, -10);
  assert.deepEqual(
    studio.scene.fillLight.position,
    { azimuth: 10, elevation: 0, distance: 5 },
    "a light behind the model, not under the horizon",
  );
});

test("frames are coarse only in motion, and only where they come late", () => {
  const drawn = (frames: readonly (readonly [number, number])[]) => {
    const pace = new Pace();
    return frames.map(([askedAt, drawnAt]) => pace.isCoarse(askedAt, drawnAt));
  };
  assert.deepEqual(
    drawn([
      [0, 16],
      [20, 600],
      [610, 1200],
      [1210, 1300],
      [5000, 5016],
      [5020, 5040],
    ]),
    [false, false, true, true, false, true],
  );
  assert.deepEqual(
    drawn([
      [0, 16],
      [20, 32],
      [300, 316],
      [600, 616],
      [900, 916],
    ]),
    [false, false, false, false, false],
    "seldom is not slow",
  );
  assert.deepEqual(
    drawn([
      [0, 16],
      [20, 9000],
      [9010, 9016],
      [9020, 9040],
    ]),
    [false, false, false, false],
    "a tab was hidden",
  );
});
