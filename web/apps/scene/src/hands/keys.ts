// The keyboard can do everything that pointers do: on the canvas to the model and the camera, on a light's button to
// that light.

import type { LightName } from "../model.js";
import type { Reach } from "./reach.js";
import type { Turning } from "./turning.js";

const TURN_DEGREES = 5;
const FOV_DEGREES = 1;
const CLOSER = 0.95;

type Keys = Readonly<Record<string, () => void>>;

export function modelKeys(turning: Turning, reach: Reach): Keys {
  const [up, right] = [
    { x: 0, y: 1, z: 0 },
    { x: 1, y: 0, z: 0 },
  ];
  return {
    ArrowLeft: () => turning.by(up, -TURN_DEGREES),
    ArrowRight: () => turning.by(up, TURN_DEGREES),
    ArrowUp: () => turning.by(right, -TURN_DEGREES),
    ArrowDown: () => turning.by(right, TURN_DEGREES),
    "+": () => reach.dolly(CLOSER),
    "=": () => reach.dolly(CLOSER),
    "-": () => reach.dolly(1 / CLOSER),
    "[": () => reach.widen(-FOV_DEGREES),
    "]": () => reach.widen(FOV_DEGREES),
  };
}

export function lightKeys(light: LightName, reach: Reach): Keys {
  return {
    ArrowLeft: () => reach.pull(light, -TURN_DEGREES, 0),
    ArrowRight: () => reach.pull(light, TURN_DEGREES, 0),
    ArrowUp: () => reach.pull(light, 0, TURN_DEGREES),
    ArrowDown: () => reach.pull(light, 0, -TURN_DEGREES),
    "+": () => reach.walk(light, CLOSER),
    "=": () => reach.walk(light, CLOSER),
    "-": () => reach.walk(light, 1 / CLOSER),
  };
}

export function listen(element: HTMLElement, keys: Keys): void {
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]?.();
  });
}
