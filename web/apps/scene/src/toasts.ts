// Shows for a moment what an agent does. A tool that is called again while its toast shows is counted, not shown twice.

const SHOWN_MS = 3000;
const TOASTS_MAX = 3;

interface Toast {
  readonly element: HTMLElement;
  readonly count: HTMLElement;
  times: number;
  timer: number;
}

export class Toasts {
  /** By tool, the last called at the end. */
  readonly #shown = new Map<string, Toast>();

  constructor(readonly place: HTMLElement) {}

  show(name: string, title: string): void {
    const toast = this.#shown.get(name) ?? this.#made(title);
    this.#shown.delete(name);
    this.#shown.set(name, toast);
    toast.times++;
    if (toast.times > 1) toast.count.textContent = `× ${String(toast.times)}`;
    clearTimeout(toast.timer);
    toast.timer = window.setTimeout(() => this.#end(name), SHOWN_MS);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > TOASTS_MAX && oldest !== undefined) this.#end(oldest);
  }

  #made(title: string): Toast {
    const element = document.createElement("div");
    const count = document.createElement("small");
    element.className = "toast";
    element.append(title, count);
    this.place.append(element);
    return { element, count, times: 0, timer: 0 };
  }

  #end(name: string): void {
    const toast = this.#shown.get(name);
    if (toast === undefined) return;
    clearTimeout(toast.timer);
    toast.element.remove();
    this.#shown.delete(name);
  }
}
