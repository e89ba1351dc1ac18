// Draws the scene, only when something has changed: an idle page draws nothing.

import {
  AmbientLight,
  Color,
  NeutralToneMapping,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  WebGLRenderer,
} from "three";
import { RectAreaLightUniformsLib } from "three/addons/lights/RectAreaLightUniformsLib.js";
import { AMBIENT_INTENSITY, LIGHT_NAMES, type LightName } from "../model.js";
import type { Studio } from "../studio.js";
import { Floor } from "./floor.js";
import { Pace } from "./pace.js";
import { Panel } from "./panel.js";
import { Sculpture } from "./sculpture.js";

const PIXEL_RATIO_MAX = 2;
const COARSE = 0.5;
const REST_MS = 150;

export class View {
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera();
  readonly #background = new Color();
  readonly #sculpture = new Sculpture();
  readonly #panels: Readonly<Record<LightName, Panel>> = {
    keyLight: new Panel("keyLight"),
    fillLight: new Panel("fillLight"),
  };
  readonly #pace = new Pace();
  #asked = false;
  #rest: number | undefined;

  /** Throws where there is no WebGL. */
  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly studio: Studio,
  ) {
    this.#renderer = new WebGLRenderer({ canvas, antialias: true });
    this.#renderer.toneMapping = NeutralToneMapping;
    RectAreaLightUniformsLib.init();
    this.#scene.background = this.#background;
    this.#camera.far = 400;
    this.#camera.near = 0.5;
    const lights = LIGHT_NAMES.map((name) => this.#panels[name].light);
    this.#scene.add(
      new AmbientLight(0xffffff, AMBIENT_INTENSITY),
      this.#sculpture.mesh,
      ...new Floor().parts,
      ...lights,
    );
    studio.watch(() => this.ask());
    // Also reports the initial size.
    new ResizeObserver(() => this.ask()).observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.ask());
  }

  /** Draws once, with the next frame. */
  ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    const askedAt = performance.now();
    requestAnimationFrame(() => {
      this.#asked = false;
      const isCoarse = this.#pace.isCoarse(askedAt, performance.now());
      clearTimeout(this.#rest);
      if (isCoarse) this.#rest = window.setTimeout(() => this.#draw(1), REST_MS);
      this.#draw(isCoarse ? COARSE : 1);
    });
  }

  /** Highlights the light under the pointer. */
  hold(held: LightName | undefined): void {
    for (const name of LIGHT_NAMES) {
      const panel = this.#panels[name];
      if (panel.held === (name === held)) continue;
      panel.held = name === held;
      this.ask();
    }
  }

  /** The light at a position of the canvas, if any: the sculpture may be in front of it. */
  lightAt(x: number, y: number): LightName | undefined {
    const { clientWidth, clientHeight } = this.canvas;
    this.#show();
    this.#scene.updateMatrixWorld();
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((x / clientWidth) * 2 - 1, 1 - (y / clientHeight) * 2), this.#camera);
    const panels = LIGHT_NAMES.map((name) => this.#panels[name]);
    const [first] = caster.intersectObjects([this.#sculpture.mesh, ...panels.flatMap(({ parts }) => parts)], false);
    return panels.find(({ parts }) => parts.some((part) => part === first?.object))?.name;
  }

  /** The position of a light's centre on the canvas. */
  placeOf(name: LightName): { readonly x: number; readonly y: number } {
    this.#show();
    const { x, y } = this.#panels[name].light.position.clone().project(this.#camera);
    return { x: ((x + 1) / 2) * this.canvas.clientWidth, y: ((1 - y) / 2) * this.canvas.clientHeight };
  }

  #draw(part: number): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    const ratio = Math.min(devicePixelRatio, PIXEL_RATIO_MAX) * part;
    const [width, height] = [Math.floor(clientWidth * ratio), Math.floor(clientHeight * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.#renderer.setPixelRatio(ratio);
      this.#renderer.setSize(clientWidth, clientHeight, false);
    }
    this.#show();
    this.#renderer.render(this.#scene, this.#camera);
  }

  /** Updates all objects from the studio's scene. */
  #show(): void {
    const { scene } = this.studio;
    this.#background.set(scene.background);
    this.#sculpture.show(scene);
    for (const name of LIGHT_NAMES) this.#panels[name].show(scene[name]);
    this.#camera.fov = scene.camera.fov;
    this.#camera.aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
    this.#camera.position.z = scene.camera.distance;
    this.#camera.updateProjectionMatrix();
    this.#camera.updateMatrixWorld();
  }
}
