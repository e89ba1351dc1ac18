// The scene: one plain document, which is also the state that agents read. It is immutable; a change makes another
// document.

export interface Axes {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A light's position seen from the camera: degrees, degrees above the horizon, units from the middle of the scene. */
export interface Bearing {
  readonly azimuth: number;
  readonly elevation: number;
  readonly distance: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Light {
  readonly intensity: number;
  readonly color: string;
  readonly position: Bearing;
  readonly size: Size;
}

export interface SceneModel {
  readonly model: {
    readonly color: string;
    readonly scale: Axes;
    /**
     * Degrees: pitch, yaw and roll. The yaw turns about the vertical, the pitch about the yawed axis, the roll about
     * the pitched one.
     */
    readonly rotation: Axes;
  };
  readonly background: string;
  readonly keyLight: Light;
  readonly fillLight: Light;
  readonly camera: {
    readonly distance: number;
    /** The vertical angle of view in degrees: a larger number shows more. */
    readonly fov: number;
  };
}

export type LightName = "keyLight" | "fillLight";

export const LIGHT_NAMES: readonly LightName[] = ["keyLight", "fillLight"];

/** The height of the model's centre, from which light positions are measured. */
export const MODEL_HEIGHT = -0.5;

/** The original's scene, whose lights are at (5, 3, 5) and (-5, 2, 5), relative to its model at (0, -0.5, 0). */
export const INITIAL: SceneModel = {
  model: { color: "#ffffff", scale: { x: 1, y: 1, z: 1 }, rotation: { x: 0, y: 0, z: 0 } },
  background: "#000000",
  keyLight: {
    intensity: 2.5,
    color: "#ffffff",
    position: { azimuth: 135, elevation: 26.33, distance: 7.89 },
    size: { width: 6, height: 6 },
  },
  fillLight: {
    intensity: 0.2,
    color: "#ffffff",
    position: { azimuth: 225, elevation: 19.47, distance: 7.5 },
    size: { width: 8, height: 8 },
  },
  camera: { distance: 32, fov: 32 },
};

/** Whether a foreign value has the members of a scene, each with the right type. */
export function isScene(value: unknown, like: unknown = INITIAL): value is SceneModel {
  if (typeof value !== typeof like || value === null) return false;
  if (typeof like === "number") return Number.isFinite(value);
  if (typeof like !== "object" || like === null) return true;
  return Object.entries(like).every(([name, part]) => isScene((value as Record<string, unknown>)[name], part));
}

export const AMBIENT_INTENSITY = 0.1;

export function withModel(scene: SceneModel, model: Partial<SceneModel["model"]>): SceneModel {
  return { ...scene, model: { ...scene.model, ...model } };
}

export function withCamera(scene: SceneModel, camera: Partial<SceneModel["camera"]>): SceneModel {
  return { ...scene, camera: { ...scene.camera, ...camera } };
}

export function withLight(scene: SceneModel, name: LightName, light: Partial<Light>): SceneModel {
  return { ...scene, [name]: { ...scene[name], ...light } };
}

export function withBearing(scene: SceneModel, name: LightName, position: Partial<Bearing>): SceneModel {
  return withLight(scene, name, { position: { ...scene[name].position, ...position } });
}
