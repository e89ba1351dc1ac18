// The open windows: their order, and which one is active. Renders none of them.

import type { App } from "../desk.js";
import { el } from "../el.js";
import { placed, tiled, type Rect } from "../geometry.js";
import { Frame, type Holder } from "./frame.js";

/** On a narrower screen a window is a sheet that fills it. */
const SHEETS = "(max-width: 640px)";
const GAP = 12;

export class Stack {
  readonly element = el("main", { class: "windows", "aria-label": "Windows" });
  readonly #order: Frame[] = [];
  readonly #frames = new Map<number, Frame>();
  readonly #listeners = new Set<() => void>();
  readonly #sheets = matchMedia(SHEETS);
  #active: Frame | undefined;
  #opened = 0;

  constructor() {
    addEventListener("resize", () => {
      for (const frame of this.#frames.values()) frame.place();
      this.#changed();
    });
  }

  /** In the order in which they were opened. */
  get frames(): readonly Frame[] {
    return [...this.#frames.values()];
  }

  /** From the lowest to the topmost. */
  get order(): readonly Frame[] {
    return this.#order;
  }

  /** The window with the keyboard focus. */
  get active(): Frame | undefined {
    return this.#active;
  }

  get(id: number): Frame | undefined {
    return this.#frames.get(id);
  }

  find(key: string): Frame | undefined {
    return this.frames.find((frame) => frame.key === key);
  }

  /** The area for windows. */
  area(): Rect {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    return { x: left, y: top, width, height };
  }

  /** Opens an empty window in front of all. */
  open(app: App, key: string, argument?: string): Frame {
    const frame = new Frame(
      this.#opened,
      app,
      key,
      argument,
      placed(app.size, this.area(), this.#opened),
      this.#holder,
    );
    this.#opened++;
    this.#frames.set(frame.id, frame);
    this.#order.push(frame);
    this.element.append(frame.element);
    return frame;
  }

  focus(frame: Frame): void {
    const wasActive = this.#active === frame && !frame.minimized;
    frame.minimized = false;
    this.#raise(frame);
    this.#active = frame;
    this.#drawOrder();
    frame.takeKeyboard();
    if (!wasActive) this.#changed();
  }

  minimise(frame: Frame): void {
    frame.minimized = true;
    this.#leave(frame);
  }

  close(frame: Frame): void {
    if (!this.#frames.delete(frame.id)) return;
    this.#order.splice(this.#order.indexOf(frame), 1);
    frame.removed();
    this.#leave(frame);
  }

  /** Called when the desktop itself is pressed: no window is active. */
  blur(): void {
    if (this.#active === undefined) return;
    this.#active = undefined;
    this.#drawOrder();
    this.#changed();
  }

  /** Activates the next visible window, lowest first. */
  cycle(): void {
    const next = this.#order.find((frame) => frame !== this.#active);
    if (next !== undefined) this.focus(next);
  }

  arrange(layout: "tile" | "cascade"): void {
    const shown = this.#order.filter(({ minimized }) => !minimized);
    const places =
      layout === "tile"
        ? tiled(shown.length, this.area(), GAP)
        : shown.map((frame, index) => placed(frame.app.size, this.area(), index));
    for (const [index, frame] of shown.entries()) frame.move(places[index] ?? {});
  }

  /** Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Activates the topmost window that is left. */
  #leave(frame: Frame): void {
    if (this.#active === frame) {
      this.#active = this.#order.findLast(({ minimized }) => !minimized);
      this.#active?.takeKeyboard();
    }
    this.#drawOrder();
    this.#changed();
  }

  #raise(frame: Frame): void {
    this.#order.splice(this.#order.indexOf(frame), 1);
    this.#order.push(frame);
  }

  #drawOrder(): void {
    for (const [index, { element }] of this.#order.entries()) element.style.zIndex = String(index + 1);
    for (const { element } of this.#order) element.classList.toggle("is-active", element === this.#active?.element);
  }

  readonly #changed = (): void => {
    for (const listener of this.#listeners) listener();
  };

  readonly #holder: Holder = {
    area: () => this.area(),
    sheets: () => this.#sheets.matches,
    focus: (frame) => this.focus(frame),
    close: (frame) => this.close(frame),
    minimise: (frame) => this.minimise(frame),
    changed: this.#changed,
  };
}
