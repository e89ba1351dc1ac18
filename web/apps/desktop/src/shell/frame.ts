// One window: its element, its bar with three buttons, and dragging. The stack decides where it may go.

import type { App, Inside } from "../desk.js";
import { drag } from "./drag.js";
import { el } from "../el.js";
import { moved, resized, type Edge, type Rect } from "../geometry.js";
import { icon } from "../icons.js";
import { tile } from "./tile.js";

/** The interface of the stack that a window needs. */
export interface Holder {
  area(): Rect;
  /** Whether windows fill the area, as on a phone. */
  sheets(): boolean;
  focus(frame: Frame): void;
  close(frame: Frame): void;
  minimise(frame: Frame): void;
  changed(): void;
}

export interface Summary extends Rect {
  readonly id: number;
  readonly title: string;
  readonly minimized: boolean;
}

const EDGES: readonly Edge[] = ["n", "s", "e", "w", "ne", "nw", "se", "sw"];
const KEY_STEP = 16;

export class Frame {
  readonly element: HTMLElement;
  readonly #bar: HTMLElement;
  readonly #title: HTMLElement;
  readonly #maximise: HTMLButtonElement;
  readonly #holder: Holder;
  #inside: Inside | undefined;
  #rect: Rect;
  #minimized = false;
  #maximized = false;
  #unsaved = false;

  constructor(
    readonly id: number,
    readonly app: App,
    readonly key: string,
    /** The argument that it was opened with. */
    readonly argument: string | undefined,
    rect: Rect,
    holder: Holder,
  ) {
    this.#rect = rect;
    this.#holder = holder;
    const labelled = `window-${String(id)}-title`;
    this.#title = el("span", { class: "window-title", id: labelled }, app.name);
    this.#maximise = button("maximise", "Maximise", () => this.maximise(!this.#maximized));
    this.#bar = el(
      "header",
      { class: "window-bar", on: { dblclick: (event) => this.#doubleClicked(event) } },
      tile(app),
      this.#title,
      el(
        "span",
        { class: "window-buttons" },
        button("minimise", "Minimise", () => holder.minimise(this)),
        this.#maximise,
        button("close", "Close", () => this.leave()),
      ),
    );
    this.element = el(
      "section",
      {
        class: "window",
        role: "dialog",
        "aria-labelledby": labelled,
        "aria-description": "Arrow keys move the window, with Shift they resize it",
        "data-window": id,
        "data-app": app.id,
        tabindex: -1,
        on: { keydown: (event) => this.#keyed(event) },
      },
      this.#bar,
    );
    for (const edge of EDGES) this.element.append(this.#handle(edge));
    this.element.addEventListener("pointerdown", () => holder.focus(this), { capture: true });
    this.#dragByBar();
    this.place();
  }

  /** Sets the content; called once, when the app has drawn it. */
  fill(inside: Inside): void {
    this.#inside = inside;
    inside.content.classList.add("window-content");
    this.#bar.after(inside.content);
  }

  get title(): string {
    return this.#title.textContent;
  }

  set title(text: string) {
    this.#title.textContent = text;
    this.#holder.changed();
  }

  get minimized(): boolean {
    return this.#minimized;
  }

  set minimized(is: boolean) {
    this.#minimized = is;
    this.element.classList.toggle("is-minimized", is);
    this.element.inert = is;
  }

  get maximized(): boolean {
    return this.#maximized;
  }

  get unsaved(): boolean {
    return this.#unsaved;
  }

  set unsaved(is: boolean) {
    this.#unsaved = is;
    this.element.classList.toggle("is-unsaved", is);
  }

  /** The rectangle when it is neither maximised nor a sheet. */
  get rect(): Rect {
    return this.#rect;
  }

  /** The current rectangle. */
  get bounds(): Rect {
    return this.#maximized || this.#holder.sheets() ? this.#holder.area() : this.#rect;
  }

  get summary(): Summary {
    const { x, y, width, height } = this.bounds;
    return { id: this.id, title: this.title, minimized: this.#minimized, x, y, width, height };
  }

  /** Moves it, as far as the area allows; ends maximising. */
  move(rect: Partial<Rect>): void {
    this.#rect = moved({ ...this.#rect, ...rect }, 0, 0, this.#holder.area());
    this.maximise(false);
  }

  maximise(is: boolean): void {
    this.#maximized = is;
    this.element.classList.toggle("is-maximized", is);
    const label = is ? "Restore" : "Maximise";
    this.#maximise.setAttribute("aria-label", label);
    this.#maximise.title = label;
    this.#maximise.replaceChildren(icon(is ? "restore" : "maximise"));
    this.place();
    this.#holder.changed();
  }

  /** Writes the geometry to the element, after it or the area has changed. */
  place(): void {
    if (!this.#maximized && !this.#holder.sheets()) this.#rect = moved(this.#rect, 0, 0, this.#holder.area());
    const { x, y, width, height } = this.bounds;
    Object.assign(this.element.style, {
      left: `${String(x)}px`,
      top: `${String(y)}px`,
      width: `${String(width)}px`,
      height: `${String(height)}px`,
    });
  }

  /**
   * Focuses the window, unless something in it has the focus. On touch devices the field is not focused, because the
   * on-screen keyboard covers half the screen.
   */
  takeKeyboard(): void {
    if (this.element.contains(document.activeElement)) return;
    const first = matchMedia("(pointer: coarse)").matches ? undefined : this.#inside?.first;
    (first ?? this.element).focus({ preventScroll: true });
  }

  /** Closes the window at once, or asks first if something is unsaved. */
  leave(): void {
    if (!this.#unsaved) {
      this.#holder.close(this);
      return;
    }
    this.element.querySelector(".window-question")?.remove();
    const keep = el(
      "button",
      { class: "button", type: "button", on: { click: () => (question.remove(), this.takeKeyboard()) } },
      "Keep",
    );
    const discard = el(
      "button",
      { class: "button is-bad", type: "button", on: { click: () => this.#holder.close(this) } },
      "Discard",
    );
    const question = el(
      "div",
      { class: "window-question", role: "alertdialog", "aria-label": "Not saved" },
      el("span", {}, "This text is not saved."),
      keep,
      discard,
    );
    this.#bar.after(question);
    keep.focus();
  }

  removed(): void {
    this.#inside?.closed?.();
    this.element.remove();
  }

  #dragByBar(): void {
    let from = this.#rect;
    drag(this.#bar, {
      refuses: (event) =>
        this.#holder.sheets() || (event.target instanceof Element && event.target.closest("button") !== null),
      begins: (event) => {
        from = this.#maximized ? this.#under(event) : this.#rect;
        this.element.classList.add("is-dragged");
      },
      moves: (dx, dy) => this.move(moved(from, dx, dy, this.#holder.area())),
      ends: () => this.element.classList.remove("is-dragged"),
    });
  }

  /** A maximised window that is dragged shrinks to its own size under the pointer. */
  #under({ clientX }: PointerEvent): Rect {
    const { width } = this.#rect;
    const area = this.#holder.area();
    return { ...this.#rect, x: clientX - (width * (clientX - area.x)) / area.width, y: area.y };
  }

  #handle(edge: Edge): HTMLElement {
    const handle = el("span", { class: `window-edge window-edge-${edge}`, "aria-hidden": true });
    let from = this.#rect;
    drag(handle, {
      refuses: () => this.#maximized || this.#holder.sheets(),
      begins: () => (from = this.#rect),
      moves: (dx, dy) => this.move(resized(from, edge, dx, dy, this.#holder.area())),
      ends: () => undefined,
    });
    return handle;
  }

  #doubleClicked(event: MouseEvent): void {
    if (event.target instanceof Element && event.target.closest("button") === null && !this.#holder.sheets())
      this.maximise(!this.#maximized);
  }

  #keyed(event: KeyboardEvent): void {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const [x = 0, y = 0] = direction ?? [];
    if (direction === undefined || event.target !== this.element || this.#holder.sheets()) return;
    event.preventDefault();
    const area = this.#holder.area();
    this.move(
      event.shiftKey
        ? resized(this.#rect, "se", x * KEY_STEP, y * KEY_STEP, area)
        : moved(this.#rect, x * KEY_STEP, y * KEY_STEP, area),
    );
  }
}

function button(name: "minimise" | "maximise" | "close", label: string, pressed: () => void): HTMLButtonElement {
  return el(
    "button",
    {
      type: "button",
      class: `window-button window-${name}`,
      "aria-label": label,
      title: label,
      on: { click: pressed },
    },
    icon(name),
  );
}
