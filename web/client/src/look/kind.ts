// What a person can do with an element, whatever it is made of.

import { attribute, styleOf, takesKeys } from "./tree.js";

/**
 * `field`: takes text. `check`: on or off. `choice`: one of several. `select`: a list to choose from. `slider`: a
 * number by dragging. `file`: takes files. `link` and `button`: to click. `area`: something else that reacts to a
 * click.
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

export function kindOf(element: Element): Kind | undefined {
  const own = nativeKind(element);
  // What a native field takes is not changed by a role.
  if (own === "field" || own === "select" || own === "file") return own;
  const kind = ROLES[attribute(element, "role").split(" ")[0] ?? ""] ?? own;
  // What shows a choice and opens a list is pressed; nothing can be written into it.
  if (kind !== undefined) return kind === "field" && !isEditable(element) && !takesKeys(element) ? "button" : kind;
  return isClickable(element) ? "area" : undefined;
}

function nativeKind(element: Element): Kind | undefined {
  switch (element.localName) {
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

/**
 * By its handler, its place in the order of keys, or the pointer that a person sees over it and not over what is
 * around.
 */
function isClickable(element: Element): boolean {
  if (
    element.hasAttribute("onclick") ||
    (attribute(element, "tabindex") >= "0" && !/^(?:body|html|iframe)$/.test(element.localName))
  )
    return true;
  if (styleOf(element).cursor !== "pointer" || element.localName === "label") return false;
  const { parentElement } = element;
  return (
    parentElement !== null &&
    styleOf(parentElement).cursor !== "pointer" &&
    element.closest("a[href],button,label,summary") === null
  );
}
