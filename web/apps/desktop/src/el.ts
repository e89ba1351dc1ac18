// Builds elements in one expression. Knows nothing of the desktop.

type Value = string | number | boolean | undefined;
type Handlers = { readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void };

export interface Attributes {
  readonly on?: Handlers;
  readonly [attribute: string]: Value | Handlers;
}

export type Child = Node | string | undefined | false;

/**
 * An attribute that is `false` or `undefined` is left out; `true` becomes an empty attribute, or for `aria-` attributes
 * the word.
 */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { on = {}, ...attributes }: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  for (const [name, handler] of Object.entries(on)) element.addEventListener(name, handler as EventListener);
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** Parses a drawing from our own SVG text, never from foreign text. */
export function drawing(svg: string): SVGElement {
  const holder = document.createElement("template");
  holder.innerHTML = svg.trim();
  const drawn = holder.content.firstElementChild;
  if (!(drawn instanceof SVGElement)) throw new TypeError("a drawing is an <svg>");
  return drawn;
}
