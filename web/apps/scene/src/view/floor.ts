// The ground under the sculpture: it shows the lights' reflections and fades into the background.

import { CanvasTexture, CircleGeometry, Color, Mesh, MeshBasicMaterial, MeshStandardMaterial } from "three";

const RADIUS = 17;
const HEIGHT = -4.9;
const SHADOW_RADIUS = 4.2;
const TEXTURE_PIXELS = 256;
/** A black ground still catches a little light. */
const GROUND_LEAST = new Color("#2b2e36");

export class Floor {
  readonly parts: readonly Mesh[];
  readonly #ground: Mesh<CircleGeometry, MeshStandardMaterial>;

  constructor() {
    const fade = radial([
      [0, "#fff"],
      [0.35, "#aaa"],
      [0.75, "#222"],
      [1, "#000"],
    ]);
    const shade = radial([
      [0, "#999"],
      [0.5, "#444"],
      [1, "#000"],
    ]);
    this.#ground = new Mesh(new CircleGeometry(RADIUS, 96), new MeshStandardMaterial({ roughness: 0.5, metalness: 0, alphaMap: fade, transparent: true, depthWrite: false }));
    const shadow = new Mesh(new CircleGeometry(SHADOW_RADIUS, 48), new MeshBasicMaterial({ color: 0, alphaMap: shade, transparent: true, depthWrite: false }));
    this.#ground.position.y = HEIGHT;
    shadow.position.y = HEIGHT + 0.01;
    for (const part of [this.#ground, shadow]) part.rotation.x = -Math.PI / 2;
    this.#ground.renderOrder = -2;
    shadow.renderOrder = -1;
    this.parts = [this.#ground, shadow];
  }

  show(background: string): void {
    const { color } = this.#ground.material;
    color.set(background);
    color.setRGB(Math.max(color.r, GROUND_LEAST.r), Math.max(color.g, GROUND_LEAST.g), Math.max(color.b, GROUND_LEAST.b));
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
