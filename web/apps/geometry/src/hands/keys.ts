// The keyboard can do everything that pointers do on the map.

import { pannedBy, REGIONS, zoomedAt } from "../map/camera.js";
import type { Viewport } from "../map/viewport.js";

const STEP_PIXELS = 80;
const FAR = 5;
const ZOOM_STEP = 1.25;

export interface Switches {
  grid(): void;
  curve(): void;
}

export function mapKeys(canvas: HTMLElement, viewport: Viewport, switches: Switches, moved: () => void): void {
  const pan = (dx: number, dy: number) => (far: boolean) =>
    viewport.goTo(
      pannedBy(viewport.camera, dx * STEP_PIXELS * (far ? FAR : 1), dy * STEP_PIXELS * (far ? FAR : 1)),
      "gliding",
    );
  const zoom = (factor: number) => () => {
    const { size } = viewport;
    viewport.goTo(zoomedAt(viewport.camera, size, { x: size.width / 2, y: size.height / 2 }, factor), "gliding");
  };
  const keys: Readonly<Record<string, (far: boolean) => void>> = {
    ArrowLeft: pan(1, 0),
    ArrowRight: pan(-1, 0),
    ArrowUp: pan(0, 1),
    ArrowDown: pan(0, -1),
    "+": zoom(ZOOM_STEP),
    "=": zoom(ZOOM_STEP),
    "-": zoom(1 / ZOOM_STEP),
    _: zoom(1 / ZOOM_STEP),
    Home: () => viewport.goTo(REGIONS.origin, "gliding"),
    "0": () => viewport.goTo(REGIONS.origin, "gliding"),
    g: () => switches.grid(),
    h: () => switches.curve(),
  };
  canvas.addEventListener("keydown", (event) => {
    // With caps lock, letters arrive in upper case.
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, key)) return;
    event.preventDefault();
    keys[key]?.(event.shiftKey);
    moved();
  });
}
