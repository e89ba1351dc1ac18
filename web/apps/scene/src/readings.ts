// The numbers of the scene, for people: the same values that agents read as its state.

import type { Light, SceneModel } from "./model.js";

interface Reading {
  readonly name: string;
  readonly color?: string;
  readonly text: string;
  /** Left out where there is little space. */
  readonly wide?: string;
}

export class Readings {
  #text = "";

  constructor(readonly place: HTMLElement) {}

  show(scene: SceneModel): void {
    const readings = read(scene);
    const text = JSON.stringify(readings);
    if (text === this.#text) return;
    this.#text = text;
    this.place.replaceChildren(...readings.flatMap(row));
  }
}

function read({ model, background, keyLight, fillLight, camera }: SceneModel): readonly Reading[] {
  const { rotation } = model;
  return [
    {
      name: "Model",
      color: model.color,
      text: model.color,
      wide: [rotation.x, rotation.y, rotation.z].map(degrees).join(" "),
    },
    { name: "Background", color: background, text: background },
    { name: "Key light", ...light(keyLight) },
    { name: "Fill light", ...light(fillLight) },
    { name: "Camera", text: `${short(camera.distance)} · ${degrees(camera.fov)}` },
  ];
}

function light({ color, intensity, position }: Light): Omit<Reading, "name"> {
  return {
    color,
    text: short(intensity),
    wide: `${degrees(position.azimuth)} ${degrees(position.elevation)} · ${short(position.distance)}`,
  };
}

function row({ name, color, text, wide }: Reading): readonly HTMLElement[] {
  const [term, value] = [document.createElement("dt"), document.createElement("dd")];
  term.textContent = name;
  if (color !== undefined) {
    const swatch = document.createElement("i");
    swatch.style.background = color;
    value.append(swatch);
  }
  value.append(text);
  if (wide !== undefined) {
    const more = document.createElement("span");
    more.className = "wide";
    more.textContent = wide;
    value.append(more);
  }
  return [term, value];
}

export function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export function degrees(value: number): string {
  return `${String(Math.round(value))}°`;
}
