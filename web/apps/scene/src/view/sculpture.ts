// The sculpture: one endless ribbon with three half twists, made by sweeping a soft flat section along a closed curve.

import { BufferAttribute, BufferGeometry, Mesh, MeshPhysicalMaterial, Vector3 } from "three";
import { radians } from "../bearing.js";
import { MODEL_HEIGHT, type SceneModel } from "../model.js";

const ALONG = 360;
const ACROSS = 48;
const TWISTS = 1.5;
const HALF_THICKNESS = 0.34;
/** 2 is an ellipse; larger values approach a box. */
const SECTION_POWER = 2.6;
const STEP = 1e-4;
const FULL = 2 * Math.PI;

export class Sculpture {
  readonly mesh: Mesh<BufferGeometry, MeshPhysicalMaterial>;

  constructor() {
    const material = new MeshPhysicalMaterial({
      roughness: 0.42,
      metalness: 0,
      clearcoat: 0.55,
      clearcoatRoughness: 0.22,
    });
    this.mesh = new Mesh(ribbon(), material);
    this.mesh.position.set(0, MODEL_HEIGHT, 0);
    this.mesh.rotation.order = "YXZ";
  }

  show({ model: { color, scale, rotation } }: SceneModel): void {
    this.mesh.material.color.set(color);
    this.mesh.scale.set(scale.x, scale.y, scale.z);
    this.mesh.rotation.set(radians(rotation.x), radians(rotation.y), radians(rotation.z));
  }
}

function ribbon(): BufferGeometry {
  const positions = new Float32Array((ALONG + 1) * (ACROSS + 1) * 3);
  const normals = new Float32Array(positions.length);
  let at = 0;
  for (let i = 0; i <= ALONG; i++) {
    for (let j = 0; j <= ACROSS; j++) {
      const [u, v] = [(i / ALONG) * FULL, (j / ACROSS) * FULL];
      surface(u, v).toArray(positions, at);
      normal(u, v).toArray(normals, at);
      at += 3;
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setIndex(faces());
  return geometry;
}

function faces(): number[] {
  const row = ACROSS + 1;
  const index: number[] = [];
  for (let i = 0; i < ALONG; i++) {
    for (let j = 0; j < ACROSS; j++) {
      const [a, b] = [i * row + j, (i + 1) * row + j];
      index.push(a, b, a + 1, b, b + 1, a + 1);
    }
  }
  return index;
}

function middle(u: number): Vector3 {
  return new Vector3(2.15 * Math.cos(u), 2.75 * Math.sin(u), 0.75 * Math.sin(2 * u + 0.6));
}

/** A point of the surface: `u` along the ribbon, `v` around its section. */
function surface(u: number, v: number): Vector3 {
  const along = middle(u + STEP)
    .sub(middle(u - STEP))
    .normalize();
  const out = middle(u).setZ(0).normalize();
  const side = new Vector3().crossVectors(along, out).normalize();
  const up = new Vector3().crossVectors(side, along);
  const twist = TWISTS * u + 0.9;
  const halfWidth = 1.12 + 0.3 * Math.cos(2 * u - 0.8);
  const [x, y] = [halfWidth * soft(Math.cos(v)), HALF_THICKNESS * soft(Math.sin(v))];
  const [across, above] = [x * Math.cos(twist) - y * Math.sin(twist), x * Math.sin(twist) + y * Math.cos(twist)];
  return middle(u).addScaledVector(side, across).addScaledVector(up, above);
}

function soft(value: number): number {
  return Math.sign(value) * Math.abs(value) ** (2 / SECTION_POWER);
}

function normal(u: number, v: number): Vector3 {
  // The section has no derivative exactly at its ends, so the difference is taken across them.
  const du = surface(u + STEP, v).sub(surface(u - STEP, v));
  const dv = surface(u, v + STEP).sub(surface(u, v - STEP));
  return du.cross(dv).normalize();
}
