// The tools that move the camera and change its field of view.

import { withCamera, type SceneModel } from "../model.js";
import { CAMERA_DISTANCE, CAMERA_FOV } from "../range.js";
import { define, type SceneTool } from "./define.js";
import { number, optional } from "./parameter.js";
import { limited, moved, plain } from "./said.js";

const DOLLY_UNITS = 0.1;
/** The original's step was 0.02 of its zoom, which was hardly visible. */
const FOV_DEGREES = 2;

function dollies(way: "in" | "out", sign: 1 | -1, where: string): SceneTool {
  return define({
    name: `dolly_camera_${way}`,
    description: `Move the camera ${way === "in" ? "closer to" : "farther from"} the model, within 8 to 64 units`,
    parameters: { amount: optional(number(`How far, in units; ${String(DOLLY_UNITS)} if left out`, { above: 0 })) },
    run(scene, { amount }) {
      const { value, by, note } = moved(scene.camera.distance, sign * (amount ?? DOLLY_UNITS), CAMERA_DISTANCE);
      const text =
        amount === undefined && note === ""
          ? `Camera moved ${where}`
          : `Camera moved ${plain(by)} units ${where}${note}`;
      return distant(scene, value, text);
    },
  });
}

function widens(way: "increase" | "decrease", sign: 1 | -1, angle: string): SceneTool {
  return define({
    name: `${way}_camera_fov`,
    description: `Make the camera's field of view ${angle === "wider angle" ? "wider (a larger angle)" : "narrower (a smaller angle)"}, within 6 to 60 degrees`,
    parameters: { amount: optional(number(`How much, in degrees; ${String(FOV_DEGREES)} if left out`, { above: 0 })) },
    run(scene, { amount }) {
      const { value, by, note } = moved(scene.camera.fov, sign * (amount ?? FOV_DEGREES), CAMERA_FOV);
      const far = amount === undefined && note === "" ? "" : ` by ${plain(by)}°`;
      return wide(scene, value, `Camera FOV ${way}d${far} (${angle})${note}`);
    },
  });
}

function distant(
  scene: SceneModel,
  distance: number,
  text: string,
): { scene: SceneModel; text: string; value: object } {
  return { scene: withCamera(scene, { distance }), text, value: { distance } };
}

function wide(scene: SceneModel, fov: number, text: string): { scene: SceneModel; text: string; value: object } {
  return { scene: withCamera(scene, { fov }), text, value: { fov } };
}

export const CAMERA_TOOLS: readonly SceneTool[] = [
  define({
    name: "dolly_camera",
    description: "Set the camera's distance from the middle of the scene, within 8 to 64 units",
    parameters: { distance: number("Distance in units", { above: 0 }) },
    run(scene, { distance }) {
      const { value, note } = limited(distance, CAMERA_DISTANCE);
      return distant(scene, value, `Camera distance set to ${plain(value)}${note}`);
    },
  }),
  dollies("in", -1, "closer"),
  dollies("out", 1, "farther"),
  define({
    name: "set_camera_fov",
    description: "Set the camera's vertical field of view in degrees, within 6 to 60: a larger number is a wider angle",
    parameters: { fov: number("Field of view in degrees", { above: 0 }) },
    run(scene, { fov }) {
      const { value, note } = limited(fov, CAMERA_FOV);
      return wide(scene, value, `Camera field of view set to ${plain(value)}${note}`);
    },
  }),
  widens("increase", 1, "wider angle"),
  widens("decrease", -1, "narrower angle"),
];
