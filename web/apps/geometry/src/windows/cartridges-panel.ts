// The cartridges on the map: their pictures, their positions, and a field to load another.

import { el } from "../../../desktop/src/el.js";
import type { Cartridge, Cartridges } from "../cartridge/cartridges.js";

export interface CartridgeHands {
  load(url: string): void;
  show(cartridge: Cartridge): void;
}

export class CartridgesPanel {
  readonly #list = el("ul", { class: "cards" });
  /** A picture is drawn once, however often the list is. */
  readonly #pictures = new Map<string, HTMLCanvasElement>();
  readonly content: HTMLElement;

  constructor(
    readonly cartridges: Cartridges,
    readonly hands: CartridgeHands,
  ) {
    const field = el("input", {
      class: "field",
      name: "url",
      placeholder: "/cartridges/….rts.png",
      "aria-label": "Address of a cartridge",
      required: true,
      autocomplete: "off",
    });
    const form = el("form", { class: "line" }, field, el("button", { class: "button" }, "Load"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      hands.load(field.value);
    });
    this.content = el("div", { class: "stack" }, this.#list, form);
    cartridges.watch(() => this.show());
    this.show();
  }

  show(): void {
    const { all } = this.cartridges;
    for (const id of this.#pictures.keys()) if (!all.some((one) => one.id === id)) this.#pictures.delete(id);
    this.#list.replaceChildren(
      ...(all.length === 0
        ? [el("li", { class: "empty" }, "No cartridges on the map. Evolution makes them.")]
        : all.map((one) => this.#card(one)).reverse()),
    );
  }

  #card(cartridge: Cartridge): HTMLElement {
    const { id, name, layer, uniqueColors, source } = cartridge;
    const { picture } = layer;
    return el(
      "li",
      { class: "card with-picture", "data-cartridge": id },
      this.#picture(cartridge),
      el(
        "div",
        {},
        el("b", {}, name),
        el(
          "p",
          { class: "quiet" },
          `${String(picture.width)} × ${String(picture.height)} · ${String(uniqueColors)} colours${source === undefined ? "" : " · WGSL"}`,
        ),
        el("p", { class: "quiet" }, `at ${String(layer.x)}, ${String(layer.y)}`),
        el(
          "div",
          { class: "line" },
          el(
            "button",
            { type: "button", class: "button small", on: { click: () => this.hands.show(cartridge) } },
            "Show",
          ),
          el(
            "button",
            { type: "button", class: "button small", on: { click: () => this.cartridges.remove(id) } },
            "Remove",
          ),
        ),
      ),
    );
  }

  #picture({ id, layer: { picture } }: Cartridge): HTMLCanvasElement {
    const known = this.#pictures.get(id);
    if (known !== undefined) return known;
    const canvas = el("canvas", { width: picture.width, height: picture.height, class: "thumb", "aria-hidden": true });
    canvas
      .getContext("2d")
      ?.putImageData(new ImageData(new Uint8ClampedArray(picture.rgba), picture.width, picture.height), 0, 0);
    this.#pictures.set(id, canvas);
    return canvas;
  }
}
