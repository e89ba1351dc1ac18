// The windows over the map: opened and closed by the dock, dragged by their bar or with the arrow keys, kept inside the
// page.

import { el } from "../../../desktop/src/el.js";
import { fitted, moved, type Rect } from "../../../desktop/src/geometry.js";
import { drag } from "../../../desktop/src/shell/drag.js";
import type { WindowRow } from "../tools/tool.js";

const KEY_STEP = 16;
const LEAST = { width: 220, height: 120 };

export interface Panel {
  readonly id: string;
  readonly title: string;
  /** Its first position and size. */
  readonly rect: Rect;
  readonly content: HTMLElement;
  /** Called when it becomes visible. */
  shown?(): void;
}

interface Window {
  readonly panel: Panel;
  readonly element: HTMLElement;
  rect: Rect;
}

export class Windows {
  readonly #windows = new Map<string, Window>();
  readonly #watchers = new Set<() => void>();
  #top = 1;

  constructor(
    readonly place: HTMLElement,
    readonly area: () => Rect,
    /** Whether windows are sheets that fill the page's width, as on a phone: only one fits. */
    readonly isNarrow: () => boolean,
  ) {
    addEventListener("resize", () => {
      for (const window of this.#windows.values()) this.#put(window, window.rect);
      if (isNarrow()) this.#onlyTop();
    });
  }

  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  add(panel: Panel): void {
    const labelled = `window-${panel.id}`;
    const close = el(
      "button",
      {
        type: "button",
        class: "window-close",
        "aria-label": `Close ${panel.title}`,
        on: { click: () => this.close(panel.id) },
      },
      "×",
    );
    const bar = el("header", { class: "window-bar" }, el("h2", { id: labelled }, panel.title), close);
    const element = el(
      "section",
      {
        class: "window",
        role: "dialog",
        "aria-labelledby": labelled,
        "aria-description": "Arrow keys move the window, Escape closes it",
        tabindex: 0,
        "data-window": panel.id,
        hidden: true,
      },
      bar,
      el("div", { class: "window-content" }, panel.content),
    );
    const window: Window = { panel, element, rect: panel.rect };
    this.#windows.set(panel.id, window);
    this.place.append(element);
    element.addEventListener("pointerdown", () => this.#raise(window), { capture: true });
    element.addEventListener("keydown", (event) => this.#keyed(window, event));
    this.#dragged(window, bar);
  }

  isOpen(id: string): boolean {
    return this.#windows.get(id)?.element.hidden === false;
  }

  open(id: string): void {
    const window = this.#windows.get(id);
    if (window === undefined) return;
    if (this.isNarrow()) for (const other of this.#windows.values()) other.element.hidden = true;
    window.element.hidden = false;
    this.#put(window, window.rect);
    this.#raise(window);
    window.panel.shown?.();
    this.#changed();
  }

  close(id: string): void {
    const window = this.#windows.get(id);
    if (window === undefined || window.element.hidden) return;
    const hadKeyboard = window.element.contains(document.activeElement);
    window.element.hidden = true;
    if (hadKeyboard) document.querySelector<HTMLElement>(`[data-opens="${id}"]`)?.focus();
    this.#changed();
  }

  /** Opens or closes it for a user: an opened window gets the focus. */
  toggle(id: string): void {
    if (this.isOpen(id)) {
      this.close(id);
    } else {
      this.open(id);
      this.#windows.get(id)?.element.focus({ preventScroll: true });
    }
  }

  get rows(): readonly WindowRow[] {
    return [...this.#windows.values()].map(({ panel, element, rect }) => {
      const { x, y, width, height } = element.hidden ? rect : element.getBoundingClientRect();
      return {
        title: panel.title,
        x: Math.round(x),
        y: Math.round(y),
        width: Math.round(width),
        height: Math.round(height),
        visible: !element.hidden,
      };
    });
  }

  /** Only one fits: a page that has become narrow keeps the topmost window. */
  #onlyTop(): void {
    const open = [...this.#windows.values()]
      .filter(({ element }) => !element.hidden)
      .sort((one, other) => Number(other.element.style.zIndex) - Number(one.element.style.zIndex));
    for (const { panel } of open.slice(1)) this.close(panel.id);
  }

  #put(window: Window, rect: Rect): void {
    window.rect = fitted(rect, this.area(), LEAST);
    const { x, y, width, height } = window.rect;
    Object.assign(window.element.style, {
      left: `${String(x)}px`,
      top: `${String(y)}px`,
      width: `${String(width)}px`,
      maxHeight: `${String(height)}px`,
    });
  }

  #raise({ element }: Window): void {
    element.style.zIndex = String(++this.#top);
  }

  #dragged(window: Window, bar: HTMLElement): void {
    let from = window.rect;
    drag(bar, {
      refuses: (event) =>
        this.isNarrow() || (event.target instanceof Element && event.target.closest("button") !== null),
      begins: () => (from = window.rect),
      moves: (dx, dy) => this.#put(window, moved(from, dx, dy, this.area())),
      ends: () => this.#changed(),
    });
  }

  #keyed(window: Window, event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.close(window.panel.id);
      return;
    }
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
    if (x === undefined || y === undefined || event.target !== window.element || this.isNarrow()) return;
    event.preventDefault();
    this.#put(window, moved(window.rect, x * KEY_STEP, y * KEY_STEP, this.area()));
    this.#changed();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
