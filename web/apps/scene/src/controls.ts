// The controls for a person: colours, size, intensities and background. They always show the scene, also after an
// agent's change.
// agent's change.

import { withLight, withModel, type LightName, type SceneModel } from "./model.js";
import { tidy } from "./range.js";
import type { Studio } from "./studio.js";

/** Sliders are logarithmic, because the eye perceives ratios: 1 is in the middle. */
const SIZE_STEPS = { min: -100, max: 100, perUnit: 50 };
const INTENSITY_MAX = 10;

interface Control {
  readonly name: string;
  read(scene: SceneModel): string;
  write(scene: SceneModel, value: string): SceneModel;
}

const lightControls = (light: LightName): readonly Control[] => [
  {
    name: `${light}.color`,
    read: (scene) => scene[light].color,
    write: (scene, color) => withLight(scene, light, { color }),
  },
  {
    name: `${light}.intensity`,
    read: (scene) => String(Math.min(scene[light].intensity, INTENSITY_MAX)),
    write: (scene, value) => withLight(scene, light, { intensity: tidy(Number(value)) }),
  },
];

const CONTROLS: readonly Control[] = [
  {
    name: "model.color",
    read: ({ model }) => model.color,
    write: (scene, color) => withModel(scene, { color }),
  },
  {
    name: "model.size",
    read: ({ model }) => String(Math.round(Math.log2(model.scale.x) * SIZE_STEPS.perUnit)),
    write(scene, value) {
      const size = Math.round(2 ** (Number(value) / SIZE_STEPS.perUnit) * 100) / 100;
      return withModel(scene, { scale: { x: size, y: size, z: size } });
    },
  },
  ...lightControls("keyLight"),
  ...lightControls("fillLight"),
  {
    name: "background",
    read: ({ background }) => background,
    write: (scene, background) => ({ ...scene, background }),
  },
];

/**
 * Binds the inputs of a form to the scene. `changed` is called when a control is released, to report the change at
 * once.
 */
export function bindControls(form: HTMLElement, studio: Studio, changed: () => void): void {
  const inputs = CONTROLS.map((control) => {
    const input = form.querySelector(`[name="${control.name}"]`);
    if (!(input instanceof HTMLInputElement)) throw new Error(`the page has no control ${control.name}`);
    input.addEventListener("input", () => {
      studio.scene = control.write(studio.scene, input.value);
    });
    input.addEventListener("change", changed);
    return { control, input };
  });
  const show = (): void => {
    for (const { control, input } of inputs) {
      const value = control.read(studio.scene);
      if (input.value !== value) input.value = value;
    }
  };
  studio.watch(show);
  show();
}
