// The ground under the sculpture: where the lights fall on it, and a soft shadow. It fades into the background.

import { AdditiveBlending, CanvasTexture, CircleGeometry, Mesh, MeshBasicMaterial, MeshStandardMaterial } from "three";

const RADIUS = 17;
const HEIGHT = -4.9;
const SHADOW_RADIUS = 4.2;
const TEXTURE_PIXELS = 256;

export class Floor {
  readonly parts: readonly Mesh[];

  constructor() {
    const fade = radial([
      [0, "#fff"],
      [0.35, "#aaa"],
      [0.75, "#222"],
      [1, "#000"],
    ]);
    const shade = radial([
      [0, "#777"],
      [0.5, "#333"],
      [1, "#000"],
    ]);
    // It only adds light, so that it has no colour of its own on any background.
    const lit = new MeshStandardMaterial({
      color: "#a8a8a8",
      roughness: 0.5,
      metalness: 0,
      alphaMap: fade,
      transparent: true,
      depthWrite: false,
      blending: AdditiveBlending,
    });
    const ground = new Mesh(new CircleGeometry(RADIUS, 96), lit);
    const shadow = new Mesh(
      new CircleGeometry(SHADOW_RADIUS, 48),
      new MeshBasicMaterial({ color: 0, alphaMap: shade, transparent: true, depthWrite: false }),
    );
    ground.position.y = HEIGHT;
    shadow.position.y = HEIGHT + 0.01;
    for (const part of [ground, shadow]) part.rotation.x = -Math.PI / 2;
    ground.renderOrder = -2;
    shadow.renderOrder = -1;
    this.parts = [ground, shadow];
  }
}

function radial(stops: readonly (readonly [number, string])[]): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = TEXTURE_PIXELS;
  const context = canvas.getContext("2d");
  if (context !== null) {
    const half = TEXTURE_PIXELS / 2;
    const gradient = context.createRadialGradient(half, half, 0, half, half, half);
    for (const [at, colour] of stops) gradient.addColorStop(at, colour);
    context.fillStyle = gradient;
    context.fillRect(0, 0, TEXTURE_PIXELS, TEXTURE_PIXELS);
  }
  return new CanvasTexture(canvas);
}
