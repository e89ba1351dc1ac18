// The glow around a shining panel: a soft halo, added to what is behind it.

import { AdditiveBlending, CanvasTexture, type Color, Mesh, MeshBasicMaterial, PlaneGeometry } from "three";

const SIDE = 128;
/** The halo's size relative to the panel's. */
const SPREAD = 2.1;
const plane = new PlaneGeometry(1, 1);
let drawn: CanvasTexture | undefined;

export class Glow {
  readonly mesh = new Mesh(
    plane,
    new MeshBasicMaterial({
      map: (drawn ??= halo()),
      blending: AdditiveBlending,
      transparent: true,
      depthWrite: false,
      toneMapped: false,
      side: 2,
    }),
  );

  /** `strength` is 0 to 1. */
  show(color: Color, strength: number, width: number, height: number): void {
    this.mesh.visible = strength > 0.01;
    this.mesh.scale.set(width * SPREAD, height * SPREAD, 1);
    this.mesh.material.color.copy(color).multiplyScalar(0.5 * strength);
  }
}

/** A rounded square that fades to nothing before its edge. */
function halo(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d");
  if (context !== null) {
    const inner = SIDE / SPREAD;
    context.filter = `blur(${String(SIDE / 10)}px)`;
    context.fillStyle = "#fff";
    context.beginPath();
    context.roundRect((SIDE - inner) / 2, (SIDE - inner) / 2, inner, inner, inner / 12);
    context.fill();
  }
  return new CanvasTexture(canvas);
}
