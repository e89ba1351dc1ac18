// The tools that change the model and the background.

import { withModel, type SceneModel } from "../model.js";
import { MODEL_SCALE, turn } from "../range.js";
import { define, type Outcome, type SceneTool } from "./define.js";
import { colour, number, optional } from "./parameter.js";
import { limited, plain } from "./said.js";

const TURN_DEGREES = 10;
const NUDGE_DEGREES = 5;

type Axis = "x" | "y" | "z";

/** Turns about one axis, from the current rotation. */
function turned(scene: SceneModel, axis: Axis, by: number, text: string): Outcome {
  const { rotation } = scene.model;
  const next = { ...rotation, [axis]: turn(rotation[axis] + by) };
  return {
    scene: withModel(scene, { rotation: next }),
    text: `${text}=${plain(rotation[axis])}°)`,
    value: { rotation: next },
  };
}

function scaled(
  scene: SceneModel,
  x: number,
  y: number,
  z: number,
): { readonly scene: SceneModel; readonly note: string; readonly value: object } {
  const [inX, inY, inZ] = [limited(x, MODEL_SCALE), limited(y, MODEL_SCALE), limited(z, MODEL_SCALE)];
  const scale = { x: inX.value, y: inY.value, z: inZ.value };
  return { scene: withModel(scene, { scale }), note: inX.note || inY.note || inZ.note, value: { scale } };
}

function rotates(name: string, sign: 1 | -1, way: string, seen: string): SceneTool {
  return define({
    name,
    description: `Rotate the model ${way} about the vertical, seen from above (its Y rotation ${seen}), from where it is`,
    parameters: { degrees: optional(number(`How far, in degrees; ${String(TURN_DEGREES)} if left out`, { above: 0 })) },
    run: (scene, { degrees = TURN_DEGREES }) =>
      turned(scene, "y", sign * degrees, `Model rotated ${plain(degrees)}° ${way} (from current rotation: Y`),
  });
}

function pitches(name: string, sign: 1 | -1, way: string): SceneTool {
  return define({
    name,
    description: `Nudge the model's pitch: its X rotation ${way === "increased" ? "increases" : "decreases"} from where it is, with and without degrees`,
    parameters: {
      degrees: optional(number(`How far, in degrees; ${String(NUDGE_DEGREES)} if left out`, { above: 0 })),
    },
    run: (scene, { degrees = NUDGE_DEGREES }) =>
      turned(scene, "x", sign * degrees, `Model pitch ${way} by ${plain(degrees)}° (from current pitch: X`),
  });
}

export const SCULPTURE_TOOLS: readonly SceneTool[] = [
  define({
    name: "change_model_color",
    description: "Change the color of the 3D model in the scene",
    parameters: { color: colour("The color of the model") },
    run: (scene, { color: { hex, text } }) => ({
      scene: withModel(scene, { color: hex }),
      text: `Model color changed to ${text}`,
      value: { color: hex },
    }),
  }),
  define({
    name: "change_model_size",
    description: "Change the uniform size of the 3D model: the same scale on all axes",
    parameters: { size: number("The scale; 1 is the model's own size", { above: 0 }) },
    run(scene, { size }) {
      const { scene: next, note, value } = scaled(scene, size, size, size);
      return { scene: next, text: `Model size changed to ${plain(next.model.scale.x)}${note}`, value };
    },
  }),
  define({
    name: "scale_model",
    description: "Scale the 3D model on each axis",
    parameters: {
      x: number("Scale on the X axis", { above: 0 }),
      y: number("Scale on the Y axis", { above: 0 }),
      z: number("Scale on the Z axis", { above: 0 }),
    },
    run(scene, { x, y, z }) {
      const { scene: next, note, value } = scaled(scene, x, y, z);
      const { scale } = next.model;
      return {
        scene: next,
        text: `Model scaled to (${plain(scale.x)}, ${plain(scale.y)}, ${plain(scale.z)})${note}`,
        value,
      };
    },
  }),
  define({
    name: "set_model_rotation",
    description:
      "Set the model's rotation in degrees: X is the pitch, Y the yaw about the vertical, Z the roll. Whole turns are left out",
    parameters: { x: number("Pitch in degrees"), y: number("Yaw in degrees"), z: number("Roll in degrees") },
    run(scene, { x, y, z }) {
      const rotation = { x: turn(x), y: turn(y), z: turn(z) };
      const whole = [x, y, z].some((angle) => Math.abs(angle) >= 360);
      const note = whole ? ` (whole turns left out; asked for X: ${plain(x)}°, Y: ${plain(y)}°, Z: ${plain(z)}°)` : "";
      const text = `Model rotation set to X: ${plain(rotation.x)}°, Y: ${plain(rotation.y)}°, Z: ${plain(rotation.z)}°${note}`;
      return { scene: withModel(scene, { rotation }), text, value: { rotation } };
    },
  }),
  rotates("rotate_model_clockwise", -1, "clockwise", "decreases"),
  rotates("rotate_model_counterclockwise", 1, "counterclockwise", "increases"),
  pitches("nudge_model_pitch_up", 1, "increased"),
  pitches("nudge_model_pitch_down", -1, "decreased"),
  define({
    name: "nudge_model_roll",
    description:
      "Nudge the model's roll: its Z rotation changes from where it is. Above 0 is counterclockwise, seen from the camera",
    parameters: { degrees: optional(number(`How far, in degrees; ${String(NUDGE_DEGREES)} if left out`)) },
    run: (scene, { degrees = NUDGE_DEGREES }) =>
      turned(scene, "z", degrees, `Model roll adjusted by ${plain(degrees)}° (from current roll: Z`),
  }),
  define({
    name: "change_background_color",
    description: "Change the background color of the 3D scene",
    parameters: { color: colour("The color of the background") },
    run: (scene, { color: { hex, text } }) => ({
      scene: { ...scene, background: hex },
      text: `Background color changed to ${text}`,
      value: { color: hex },
    }),
  }),
];
