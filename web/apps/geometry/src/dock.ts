// The bar at the bottom: opens windows, switches overlays of the map, goes to regions and zooms; and the figures above.

import { element } from "./element.js";
import { isRegionName, REGIONS, zoomedAt, type RegionName } from "./map/camera.js";
import type { Meter } from "./map/meter.js";
import type { Overlay } from "./map/overlay.js";
import type { Viewport } from "./map/viewport.js";
import type { Windows } from "./windows/windows.js";
import { short } from "./windows/state-panel.js";

const GRID_SIZES: readonly number[] = [64, 256, 512, 1024, 2048];
const ZOOM_STEP = 1.5;
const FIGURES_EVERY_MS = 250;

export interface DockParts {
  readonly viewport: Viewport;
  readonly windows: Windows;
  readonly overlay: Overlay;
  readonly meter: Meter;
  /** Called when the overlays change. */
  changed(): void;
  visit(region: RegionName): void;
  /** Called when the figures change. */
  figured(): void;
}

export class Dock {
  readonly #openers = [...document.querySelectorAll<HTMLElement>("[data-opens]")];
  #timer: number | undefined;

  constructor(readonly parts: DockParts) {
    const { windows } = parts;
    for (const button of this.#openers)
      button.addEventListener("click", () => windows.toggle(button.dataset.opens ?? ""));
    this.#on("#zoom-in", () => this.#zoom(ZOOM_STEP));
    this.#on("#zoom-out", () => this.#zoom(1 / ZOOM_STEP));
    this.#on("#grid", () => this.toggle("grid"));
    this.#on("#curve", () => this.toggle("curve"));
    this.#regions();
    this.#gridSizes();
    this.show();
  }

  toggle(what: "grid" | "curve"): void {
    const { overlay, changed } = this.parts;
    overlay.shown = { ...overlay.shown, [what]: !overlay.shown[what] };
    this.show();
    changed();
  }

  /** Updates which buttons are pressed. */
  show(): void {
    const { windows, overlay } = this.parts;
    for (const button of this.#openers)
      button.setAttribute("aria-pressed", String(windows.isOpen(button.dataset.opens ?? "")));
    for (const what of ["grid", "curve"] as const)
      element(`#${what}`, HTMLButtonElement).setAttribute("aria-pressed", String(overlay.shown[what]));
  }

  /** Called when the camera has moved. During a motion the figures are shown now and then, and once after it. */
  moved(): void {
    const { viewport, meter, figured } = this.parts;
    element("#zoom", HTMLOutputElement).value = `${String(Math.round(viewport.camera.zoom * 100))} %`;
    this.#timer ??= window.setTimeout(() => {
      this.#timer = undefined;
      const { fps, deltaTime } = meter.figures(performance.now());
      element("#figures", HTMLOutputElement).value =
        fps === 0 ? "" : `${String(Math.round(fps))} fps · ${short(deltaTime)} ms`;
      figured();
    }, FIGURES_EVERY_MS);
  }

  #on(selector: string, pressed: () => void): void {
    element(selector, HTMLButtonElement).addEventListener("click", pressed);
  }

  #zoom(factor: number): void {
    const { viewport } = this.parts;
    const { size } = viewport;
    viewport.goTo(zoomedAt(viewport.camera, size, { x: size.width / 2, y: size.height / 2 }, factor), "gliding");
  }

  #regions(): void {
    const choice = element("#region", HTMLSelectElement);
    choice.append(...Object.entries(REGIONS).map(([name, { title }]) => new Option(title, name)));
    choice.addEventListener("change", () => {
      if (isRegionName(choice.value)) this.parts.visit(choice.value);
      choice.value = "";
    });
  }

  #gridSizes(): void {
    const { overlay, changed } = this.parts;
    const choice = element("#grid-size", HTMLSelectElement);
    choice.append(
      ...GRID_SIZES.map(
        (side) =>
          new Option(
            `${String(side)}²`,
            String(side),
            side === overlay.shown.gridSize,
            side === overlay.shown.gridSize,
          ),
      ),
    );
    choice.addEventListener("change", () => {
      overlay.shown = { ...overlay.shown, gridSize: Number(choice.value) };
      changed();
    });
  }
}
