// The tools that change a light: the same for the key light and the fill light.

import { shortestTurn } from "../bearing.js";
import { withBearing, withLight, type Bearing, type LightName, type SceneModel } from "../model.js";
import { compass, LIGHT_DISTANCE, LIGHT_ELEVATION, LIGHT_INTENSITY, LIGHT_SIZE, tidy } from "../range.js";
import { define, type Outcome, type SceneTool } from "./define.js";
import { colour, direction, number, optional } from "./parameter.js";
import { limited, moved, plain } from "./said.js";

const SWING_DEGREES = 10;
const WALK_UNITS = 1;
const TURN_DEGREES = 10;
const NUDGE_DEGREES = 5;

/** The names of a light. */
export interface Called {
  readonly light: LightName;
  /** `key`, in the names of tools. */
  readonly word: string;
  /** `Key light`, in texts. */
  readonly label: string;
}

export const KEY: Called = { light: "keyLight", word: "key", label: "Key light" };
export const FILL: Called = { light: "fillLight", word: "fill", label: "Fill light" };

export function lightTools(called: Called): readonly SceneTool[] {
  return [...looks(called), ...places(called), ...steps(called), ...turns(called)];
}

function placed(scene: SceneModel, light: LightName, position: Partial<Bearing>, text: string): Outcome {
  const next = withBearing(scene, light, position);
  return { scene: next, text, value: { position: next[light].position } };
}

function looks({ light, word, label }: Called): readonly SceneTool[] {
  const the = label.toLowerCase();
  return [
    define({
      name: `set_${word}_light_intensity`,
      description: `Set the intensity of the ${the}`,
      parameters: { intensity: number("The intensity; 0 is off", { min: 0 }) },
      run(scene, { intensity }) {
        const { value, note } = limited(intensity, LIGHT_INTENSITY);
        return {
          scene: withLight(scene, light, { intensity: value }),
          text: `${label} intensity set to ${plain(value)}${note}`,
          value: { intensity: value },
        };
      },
    }),
    define({
      name: `set_${word}_light_color`,
      description: `Set the color of the ${the}`,
      parameters: { color: colour(`The color of the ${the}`) },
      run: (scene, { color: { hex, text } }) => ({
        scene: withLight(scene, light, { color: hex }),
        text: `${label} color changed to ${text}`,
        value: { color: hex },
      }),
    }),
    define({
      name: `set_${word}_light_size`,
      description: `Set the width and height of the ${the}'s panel; a larger panel is a softer and stronger light`,
      parameters: { width: number("Width in units", { above: 0 }), height: number("Height in units", { above: 0 }) },
      run(scene, { width, height }) {
        const [wide, high] = [limited(width, LIGHT_SIZE), limited(height, LIGHT_SIZE)];
        const size = { width: wide.value, height: high.value };
        const text = `${label} size set to width ${plain(size.width)}${wide.note}, height ${plain(size.height)}${high.note}`;
        return { scene: withLight(scene, light, { size }), text, value: { size } };
      },
    }),
  ];
}

function places({ light, word, label }: Called): readonly SceneTool[] {
  const the = label.toLowerCase();
  return [
    define({
      name: `set_${word}_light_position_spherical`,
      description: `Place the ${the} by its direction seen from the camera; its distance stays`,
      parameters: {
        azimuth: direction("Where around the model"),
        elevation: number("Degrees above the horizon: 0 is level, 90 overhead", LIGHT_ELEVATION),
      },
      run(scene, { azimuth: { azimuth, text }, elevation }) {
        const where = text.endsWith("°") ? text : `${text} (${plain(azimuth)}°)`;
        return placed(
          scene,
          light,
          { azimuth, elevation },
          `${label} positioned at azimuth ${where}, elevation ${plain(elevation)}° (distance preserved)`,
        );
      },
    }),
    define({
      name: `set_${word}_light_distance`,
      description: `Set how far the ${the} is from the middle of the scene; its direction stays`,
      parameters: { distance: number("Distance in units", { above: 0 }) },
      run(scene, { distance }) {
        const { value, note } = limited(distance, LIGHT_DISTANCE);
        return placed(scene, light, { distance: value }, `${label} distance set to ${plain(value)} units${note}`);
      },
    }),
    define({
      name: `move_${word}_light_toward_direction`,
      description: `Move the ${the} around the model toward a direction, the shorter way and never past it`,
      parameters: {
        direction: direction("The direction"),
        degrees: optional(number(`How far, in degrees; ${String(TURN_DEGREES)} if left out`, { above: 0 })),
      },
      run(scene, { direction: { azimuth: to, text: where }, degrees = TURN_DEGREES }) {
        const { azimuth } = scene[light].position;
        const way = shortestTurn(azimuth, to);
        const by = tidy(Math.min(degrees, Math.abs(way)));
        const note = by === tidy(degrees) ? "" : `; it is there now, asked for ${plain(degrees)}°`;
        const text = `${label} moved ${plain(by)}° toward ${where} (from current azimuth: ${plain(azimuth)}°${note})`;
        return placed(scene, light, { azimuth: compass(azimuth + Math.sign(way) * by) }, text);
      },
    }),
  ];
}

function steps({ light, word, label }: Called): readonly SceneTool[] {
  const the = label.toLowerCase();
  const swing = (
    way: string,
    seen: string,
    to: (at: Bearing) => { readonly position: Partial<Bearing>; readonly note: string },
  ): SceneTool =>
    define({
      name: `swing_${word}_light_${way}`,
      description: `Swing the ${the} ${way} by ${String(SWING_DEGREES)}° along its arc: ${seen}`,
      parameters: {},
      run(scene) {
        const { position, note } = to(scene[light].position);
        return placed(scene, light, position, `${label} swung ${way}${note}`);
      },
    });
  const rise = (by: number) => (at: Bearing) => {
    const { value, note } = moved(at.elevation, by, LIGHT_ELEVATION);
    return { position: { elevation: value }, note };
  };
  const around = (by: number) => (at: Bearing) => ({ position: { azimuth: compass(at.azimuth + by) }, note: "" });
  const walk = (way: string, by: number): SceneTool =>
    define({
      name: `walk_${word}_light_${way}`,
      description: `Walk the ${the} ${way} by ${plain(WALK_UNITS)} unit, ${by < 0 ? "closer to" : "away from"} the middle of the scene`,
      parameters: {},
      run(scene) {
        const { value, note } = moved(scene[light].position.distance, by, LIGHT_DISTANCE);
        return placed(scene, light, { distance: value }, `${label} walked ${way}${note}`);
      },
    });
  return [
    swing("up", "its elevation increases", rise(SWING_DEGREES)),
    swing("down", "its elevation decreases", rise(-SWING_DEGREES)),
    // A light between camera and model, where lights usually are, moves as the word says.
    swing("left", "its azimuth increases, from the camera's right past behind it to its left", around(SWING_DEGREES)),
    swing("right", "its azimuth decreases, from the camera's left past behind it to its right", around(-SWING_DEGREES)),
    walk("in", -WALK_UNITS),
    walk("out", WALK_UNITS),
  ];
}

function turns({ light, word, label }: Called): readonly SceneTool[] {
  const the = label.toLowerCase();
  const rotate = (way: string, sign: 1 | -1): SceneTool =>
    define({
      name: `rotate_${word}_light_${way}`,
      description: `Rotate the ${the} ${way} around the model: its azimuth ${sign < 0 ? "decreases" : "increases"} from where it is`,
      parameters: {
        degrees: optional(number(`How far, in degrees; ${String(TURN_DEGREES)} if left out`, { above: 0 })),
      },
      run(scene, { degrees = TURN_DEGREES }) {
        const { azimuth } = scene[light].position;
        const text = `${label} rotated ${plain(degrees)}° ${way} (from current azimuth: ${plain(azimuth)}°)`;
        return placed(scene, light, { azimuth: compass(azimuth + sign * degrees) }, text);
      },
    });
  const nudge = (way: string, verb: string, sign: 1 | -1): SceneTool =>
    define({
      name: `nudge_${word}_light_elevation_${way}`,
      description: `Nudge the ${the} ${way}: its elevation changes from where it is, within 0 to 90 degrees`,
      parameters: {
        degrees: optional(number(`How far, in degrees; ${String(NUDGE_DEGREES)} if left out`, { above: 0 })),
      },
      run(scene, { degrees = NUDGE_DEGREES }) {
        const { elevation } = scene[light].position;
        const { value, by, note } = moved(elevation, sign * degrees, LIGHT_ELEVATION);
        return placed(
          scene,
          light,
          { elevation: value },
          `${label} elevation ${verb} by ${plain(by)}° (from current elevation: ${plain(elevation)}°)${note}`,
        );
      },
    });
  return [
    rotate("clockwise", -1),
    rotate("counterclockwise", 1),
    nudge("up", "increased", 1),
    nudge("down", "decreased", -1),
  ];
}
