// The tools that only read. They run in the page itself, so their answers are always fresh; `eye state` reads the hub's
// cache.

import type { SceneModel } from "../model.js";
import { define, type SceneTool } from "./define.js";
import { FILL, KEY, type Called } from "./lights.js";
import { flag, optional } from "./parameter.js";
import { plain } from "./said.js";

interface Seen {
  readonly text: string;
  readonly value: object;
}

function getter(name: string, label: string, description: string, see: (scene: SceneModel) => Seen): SceneTool {
  return define({
    name,
    description: `Get ${description}`,
    parameters: {
      forceRefresh: optional(flag("Accepted as in the original; the answer comes from the page and is always fresh")),
    },
    reads: true,
    run(scene, _, around) {
      const { text, value } = see(scene);
      const queriedAt = around.now().toISOString();
      return {
        text: `${label}: ${text} (queried at ${queriedAt}, source: fresh)`,
        value: { ...value, queriedAt, source: "fresh" },
      };
    },
  });
}

function lightGetters({ light, word, label }: Called): readonly SceneTool[] {
  const the = label.toLowerCase();
  return [
    getter(`get_${word}_light_intensity`, `${label} intensity`, `the intensity of the ${the}`, (scene) => {
      const { intensity } = scene[light];
      return { text: plain(intensity), value: { intensity } };
    }),
    getter(
      `get_${word}_light_color`,
      `${label} color`,
      `the color of the ${the} as a hex color code (e.g., "#ff0000")`,
      (scene) => {
        const { color } = scene[light];
        return { text: color, value: { color } };
      },
    ),
    getter(
      `get_${word}_light_position_spherical`,
      `${label} position`,
      `where the ${the} is: azimuth and elevation in degrees seen from the camera, and distance`,
      (scene) => {
        const { azimuth, elevation, distance } = scene[light].position;
        return {
          text: `azimuth ${plain(azimuth)}°, elevation ${plain(elevation)}°, distance ${plain(distance)}`,
          value: { azimuth, elevation, distance },
        };
      },
    ),
    getter(`get_${word}_light_size`, `${label} size`, `the width and height of the ${the}'s panel`, (scene) => {
      const { width, height } = scene[light].size;
      return { text: `width ${plain(width)}, height ${plain(height)}`, value: { width, height } };
    }),
  ];
}

export const GETTERS: readonly SceneTool[] = [
  getter(
    "get_model_color",
    "Model color",
    'the current model color as a hex color code (e.g., "#ff0000")',
    ({ model: { color } }) => ({ text: color, value: { color } }),
  ),
  getter("get_model_scale", "Model scale", "the current model scale on each axis", ({ model: { scale } }) => ({
    text: `X: ${plain(scale.x)}, Y: ${plain(scale.y)}, Z: ${plain(scale.z)}`,
    value: { scale },
  })),
  getter(
    "get_model_rotation",
    "Model rotation",
    "the current model rotation in degrees",
    ({ model: { rotation } }) => ({
      text: `X (pitch): ${plain(rotation.x)}°, Y (yaw): ${plain(rotation.y)}°, Z (roll): ${plain(rotation.z)}°`,
      value: { rotation },
    }),
  ),
  getter(
    "get_background_color",
    "Background color",
    'the current background color as a hex color code (e.g., "#000000")',
    ({ background }) => ({
      text: background,
      value: { color: background },
    }),
  ),
  ...lightGetters(KEY),
  ...lightGetters(FILL),
  getter(
    "get_camera_distance",
    "Camera distance",
    "how far the camera is from the middle of the scene",
    ({ camera: { distance } }) => ({
      text: plain(distance),
      value: { distance },
    }),
  ),
  getter("get_camera_fov", "Camera FOV", "the camera's vertical field of view in degrees", ({ camera: { fov } }) => ({
    text: plain(fov),
    value: { fov },
  })),
];
