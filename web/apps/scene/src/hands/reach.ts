// Moves the camera and the lights, in steps of a wheel, a pinch or a drag.

import { withBearing, withCamera, type LightName } from "../model.js";
import { CAMERA_DISTANCE, CAMERA_FOV, clamp, compass, LIGHT_DISTANCE, LIGHT_ELEVATION } from "../range.js";
import type { Studio } from "../studio.js";

const HUNDREDTHS = 100;

export class Reach {
  constructor(readonly studio: Studio) {}

  /** Multiplies the camera's distance. */
  dolly(times: number): void {
    const { scene } = this.studio;
    this.studio.scene = withCamera(scene, {
      distance: hundredth(clamp(scene.camera.distance * times, CAMERA_DISTANCE)),
    });
  }

  /** Widens the field of view by degrees. */
  widen(degrees: number): void {
    const { scene } = this.studio;
    this.studio.scene = withCamera(scene, { fov: hundredth(clamp(scene.camera.fov + degrees, CAMERA_FOV)) });
  }

  /** Multiplies a light's distance. */
  walk(light: LightName, times: number): void {
    const { distance } = this.studio.scene[light].position;
    this.studio.scene = withBearing(this.studio.scene, light, {
      distance: hundredth(clamp(distance * times, LIGHT_DISTANCE)),
    });
  }

  /** Moves a light as it is dragged on the screen, in degrees to the right and up. */
  pull(light: LightName, right: number, up: number, isBehind = this.isBehind(light)): void {
    const { azimuth, elevation } = this.studio.scene[light].position;
    this.studio.scene = withBearing(this.studio.scene, light, {
      azimuth: compass(hundredth(azimuth + (isBehind ? right : -right))),
      elevation: hundredth(clamp(elevation + up, LIGHT_ELEVATION)),
    });
  }

  /** Behind the model a growing azimuth moves to the right on the screen, in front of it to the left. */
  isBehind(light: LightName): boolean {
    const { azimuth } = this.studio.scene[light].position;
    return azimuth < 90 || azimuth > 270;
  }
}

function hundredth(value: number): number {
  return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
}
