// What a person can do with an element, independent of its markup.

import { attribute, styleOf, type Tag, tagOf, takesKeys } from "./tree.js";

/**
 * `field`: takes text. `check`: on or off. `choice`: one of several. `select`: a list to choose from. `slider`: a
 * number by dragging. `file`: takes files. `link` and `button`: to click. `area`: anything else that reacts to a click.
 */
export type Kind = "link" | "button" | "field" | "check" | "choice" | "select" | "slider" | "file" | "area";

const ROLES: Readonly<Record<string, Kind>> = {
  link: "link",
  button: "button",
  menuitem: "button",
  textbox: "field",
  searchbox: "field",
  spinbutton: "field",
  combobox: "field",
  checkbox: "check",
  switch: "check",
  menuitemcheckbox: "check",
  radio: "choice",
  tab: "choice",
  option: "choice",
  menuitemradio: "choice",
  treeitem: "choice",
  slider: "slider",
};

const INPUTS: Readonly<Record<string, Kind>> = {
  button: "button",
  submit: "button",
  reset: "button",
  image: "button",
  checkbox: "check",
  radio: "choice",
  range: "slider",
  file: "file",
};

/** `style` and `tag`: the element's, if they are at hand. */
export function kindOf(element: Element, style?: CSSStyleDeclaration, tag = tagOf(element)): Kind | undefined {
  const own = nativeKind(element, tag.name);
  // A role does not change what a native field accepts.
  if (own === "field" || own === "select" || own === "file") return own;
  const kind = (tag.role === "" ? undefined : ROLES[tag.role.split(" ")[0] ?? ""]) ?? own;
  // A combobox that only shows a choice and opens a list is pressed like a button; no text can be entered.
  if (kind !== undefined) return kind === "field" && !isEditable(element) && !takesKeys(element) ? "button" : kind;
  return isClickable(element, style, tag) ? "area" : undefined;
}

function nativeKind(element: Element, name: string): Kind | undefined {
  switch (name) {
    case "a":
    case "area":
      return element.hasAttribute("href") ? "link" : undefined;
    case "button":
    case "summary":
      return "button";
    case "textarea":
      return "field";
    case "select":
      return "select";
    case "option":
      return undefined;
    case "input": {
      const { type } = element as HTMLInputElement;
      return type === "hidden" ? undefined : (INPUTS[type] ?? "field");
    }
    default:
      return isEditable(element) && !isEditable(element.parentElement) ? "field" : undefined;
  }
}

export function isEditable(element: Element | null): boolean {
  return (element as HTMLElement | null)?.isContentEditable === true;
}

/** Judged by an `onclick` handler, a `tabindex`, or a pointer cursor that its parent does not have. */
function isClickable(element: Element, style: CSSStyleDeclaration | undefined, { name, marked }: Tag): boolean {
  const reacts = (): boolean =>
    element.hasAttribute("onclick") || (attribute(element, "tabindex") >= "0" && !/^(?:body|html|iframe)$/.test(name));
  if (marked && reacts()) return true;
  if ((style ?? styleOf(element)).cursor !== "pointer" || name === "label") return false;
  const { parentElement } = element;
  return (
    parentElement !== null &&
    styleOf(parentElement).cursor !== "pointer" &&
    element.closest("a[href],button,label,summary") === null
  );
}
