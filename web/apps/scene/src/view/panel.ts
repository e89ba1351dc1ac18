// A visible light that can be dragged: an area light, its bright face toward the model, its dark back with a lit rim.

import { Color, Mesh, MeshBasicMaterial, PlaneGeometry, RectAreaLight } from "three";
import { radians, toPoint } from "../bearing.js";
import { MODEL_HEIGHT, type Light, type LightName } from "../model.js";
import { Glow } from "./glow.js";

const RIM = 0.07;
const RIM_HELD = 0.13;
/** The sheets are slightly apart, so that none shows through another. */
const APART = 0.006;
const DARK = new Color("#101114");

const plane = new PlaneGeometry(1, 1);

export class Panel {
  readonly light = new RectAreaLight();
  /** The meshes that a pointer hits, from both sides. */
  readonly parts: readonly Mesh[];
  held = false;
  readonly #face = new Mesh(plane, new MeshBasicMaterial({ toneMapped: false }));
  /** Larger than the back, so that its edge is visible. */
  readonly #rim = new Mesh(plane, new MeshBasicMaterial({ toneMapped: false }));
  readonly #glow = new Glow();
  readonly #back = new Mesh(plane, new MeshBasicMaterial({ toneMapped: false }));

  constructor(readonly name: LightName) {
    this.light.rotation.order = "YXZ";
    // The light shines along its -z.
    this.#face.rotation.y = Math.PI;
    this.#face.position.z = -APART;
    this.#back.position.z = APART;
    this.parts = [this.#face, this.#rim, this.#back];
    this.light.add(...this.parts, this.#glow.mesh);
  }

  show({ intensity, color, position, size: { width, height } }: Light): void {
    const { x, y, z } = toPoint(position);
    this.light.position.set(x, y + MODEL_HEIGHT, z);
    // Faces the model. Computed from the angles, because a direction alone has no roll at the zenith.
    this.light.rotation.set(-radians(position.elevation), Math.PI - radians(position.azimuth), 0);
    this.light.intensity = intensity;
    this.light.color.set(color);
    this.light.width = width;
    this.light.height = height;
    this.#shape(width, height);
    this.#tint(intensity);
  }

  #shape(width: number, height: number): void {
    const rim = Math.min(this.held ? RIM_HELD : RIM, width / 4, height / 4);
    this.#face.scale.set(width, height, 1);
    this.#rim.scale.set(width, height, 1);
    this.#back.scale.set(width - 2 * rim, height - 2 * rim, 1);
  }

  /** A light that is off is still visible, and a strong one keeps its hue. */
  #tint(intensity: number): void {
    const glow = 1 - Math.exp(-1.2 * intensity);
    const rim = this.held ? 0.55 + 0.45 * glow : 0.16 + 0.62 * glow;
    this.#glow.show(this.light.color, glow, this.light.width, this.light.height);
    this.#face.material.color.copy(this.light.color).multiplyScalar(0.06 + 0.94 * glow);
    this.#back.material.color.copy(DARK).lerp(this.light.color, (this.held ? 0.03 : 0.004) + 0.008 * glow);
    this.#rim.material.color.copy(this.light.color).multiplyScalar(rim);
  }
}
