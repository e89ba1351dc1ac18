// Writes one element as a piece of the outline: its ref, its name, and its visible state.

import { clip } from "../core/clip.js";
import { HIDDEN, isSecret } from "../core/element.js";
import { OUTLINE_NAME_CHARS_MAX, OUTLINE_VALUE_CHARS_MAX, OUTLINE_OPTIONS_MAX } from "../core/limits.js";
import { kindOf, type Kind } from "./kind.js";
import { nameOf } from "./name.js";
import { choiceIn, drawnText, isPartOfName, labelsOf, shownText } from "./reading.js";
import { provisionalRef, refOf, shownAs } from "./refs.js";
import { attribute, isSet, plain, takesKeys } from "./tree.js";
import { isNamed } from "./titles.js";
import { isDisabled } from "./visible.js";

const EMPTY = "_";
/** Input types whose value has a format that must be shown. */
const FORMATS = /^(?:date|time|datetime-local|month|week|color|number|email|tel|url)$/;

export interface Showing {
  /** Replaces a name that would repeat the content shown below it. */
  readonly called?: string | undefined;
  /** For comparing: values in full, and a provisional ref. */
  readonly compare?: boolean;
  /** Whether it is disabled, if that is known. */
  readonly disabled?: boolean | undefined;
}

export function describe(
  element: Element,
  kind: Kind = kindOf(element) ?? "area",
  { called, compare = false, disabled = isDisabled(element) }: Showing = {},
): string {
  const full = nameOf(element);
  if (compare)
    return `${provisionalRef(element)} ${pictured(element, kind, called ?? full, true)}${notes(element, kind, disabled)}`;
  const name = clip(full, OUTLINE_NAME_CHARS_MAX);
  const text = `${refOf(element)} ${pictured(element, kind, called ?? name)}${notes(element, kind, disabled)}`;
  shownAs(element, text, name);
  return text;
}

function pictured(element: Element, kind: Kind, name: string, full = false): string {
  switch (kind) {
    case "link":
      return name + shownIn(element, name);
    case "button":
      return `[${fold(element)}${name}${shownIn(element, name)}]`;
    case "area":
      return `<${name}>`;
    case "check":
      return `[${isOn(element) === undefined ? "-" : isOn(element) === true ? "x" : " "}] ${name}${besides(element, name)}`;
    case "choice":
      return `(${isChosen(element) ? "x" : " "}) ${fold(element)}${name}${besides(element, name)}`;
    default: {
      // The marks that many labels end with are removed here and written in one way.
      const bare = name.replace(/^\*\s*/, "").replace(/[\s*:]+$/, "") || name;
      const required = isRequired(element) || (name.includes("*") && !bare.includes("*"));
      return `${bare}${required ? "*" : ""}: ${valueOf(element, kind, full)}`;
    }
  }
}

/** The visible text of a button or a link whose name differs: the choice of an opening list, a number. */
function shownIn(element: Element, name: string): string {
  const opens = attribute(element, "role") === "combobox" || attribute(element, "aria-haspopup") === "listbox";
  if (!opens && !isNamed(element)) return "";
  const { value } = element as Partial<HTMLButtonElement>;
  const shown = shownText(element) || (opens && typeof value === "string" ? value : "");
  return !/[\p{L}\p{N}]/u.test(shown) || isPartOfName(shown, name) ? "" : `: ${clip(shown, OUTLINE_VALUE_CHARS_MAX)}`;
}

/** The text that a checkbox's label shows besides its name: the key of a tool, a price. */
function besides(element: Element, name: string): string {
  // Without a name of its own, its name is the text of its labels.
  if (!isNamed(element)) return "";
  const labels = labelsOf(element);
  if (labels.every((label) => isPartOfName(label.textContent ?? "", name))) return "";
  const shown = labels.map((label) => shownText(label, [element])).join(" ");
  return !/[\p{L}\p{N}]/u.test(shown) || isPartOfName(shown, name) ? "" : `: ${clip(shown, OUTLINE_VALUE_CHARS_MAX)}`;
}

/** `undefined` for a mixed state. */
export function isOn(element: Element): boolean | undefined {
  if (element.localName === "input")
    return (element as HTMLInputElement).indeterminate ? undefined : (element as HTMLInputElement).checked;
  const checked = attribute(element, "aria-checked");
  return checked === "mixed" ? undefined : checked === "true";
}

function isChosen(element: Element): boolean {
  if (element.localName === "input") return (element as HTMLInputElement).checked;
  return isSet(element, "aria-selected") || isSet(element, "aria-checked");
}

function isRequired(element: Element): boolean {
  return (element as HTMLInputElement).required === true || isSet(element, "aria-required");
}

function fold(element: Element): string {
  const details =
    element.localName === "summary" && element.parentElement?.localName === "details"
      ? String((element.parentElement as HTMLDetailsElement).open)
      : "";
  const expanded = attribute(element, "aria-expanded") || details;
  return expanded === "true" ? "- " : expanded === "false" ? "+ " : "";
}

/** The text of a multi-line field, unchanged; `undefined` for any other element. */
export function linesOf(element: Element): string | undefined {
  if (element.localName === "textarea") return (element as HTMLTextAreaElement).value;
  return element.localName === "input" || kindOf(element) !== "field" ? undefined : written(element);
}

export function valueOf(element: Element, kind: Kind, full = false): string {
  switch (kind) {
    case "select":
      return selected(element as HTMLSelectElement);
    case "file":
      return [...((element as HTMLInputElement).files ?? [])].map(({ name }) => name).join(", ") || `${EMPTY} (file)`;
    case "slider": {
      const {
        value = attribute(element, "aria-valuenow"),
        min = attribute(element, "aria-valuemin"),
        max = attribute(element, "aria-valuemax"),
      } = element as Partial<HTMLInputElement>;
      return `${attribute(element, "aria-valuetext") || value} (${min || 0}-${max || 100})`;
    }
    default: {
      const { value, type } = element as HTMLInputElement;
      if (isSecret(element) && value !== "") return HIDDEN;
      const choice = value === "" ? choiceIn(element) : "";
      if (choice !== "" && !isPartOfName(choice, nameOf(element))) return clip(choice, OUTLINE_VALUE_CHARS_MAX);
      const text = plain(typeof value === "string" ? value : written(element));
      const shown = text === "" ? EMPTY : full ? text : clip(text, OUTLINE_VALUE_CHARS_MAX);
      return text === "" && FORMATS.test(type ?? "") && type !== "email" && type !== "tel" && type !== "url"
        ? `${shown} (${type})`
        : shown;
    }
  }
}

/** The text of an editor. */
function written(element: Element): string {
  const { innerText = "" } = element as HTMLElement;
  return innerText === "" && takesKeys(element) ? drawnText(element) : innerText;
}

function selected(select: HTMLSelectElement): string {
  const options = [...select.options];
  const chosen = options.filter((one) => one.selected).map(({ label }) => plain(label));
  const others = options.filter((one) => !one.selected).map(({ label }) => plain(label));
  const rest = others.slice(0, OUTLINE_OPTIONS_MAX).map((label) => clip(label, OUTLINE_VALUE_CHARS_MAX));
  if (others.length > rest.length) rest.push(`${others.length - rest.length} more`);
  return `${chosen.join(", ") || EMPTY}${rest.length === 0 ? "" : ` (or ${rest.join(", ")})`}`;
}

function notes(element: Element, kind: Kind, disabled: boolean): string {
  const states: string[] = [];
  if (disabled) states.push("disabled");
  if (kind === "field" && (element as HTMLInputElement).readOnly === true) states.push("read-only");
  if (isSet(element, "aria-pressed")) states.push("pressed");
  if (kind !== "choice" && isSet(element, "aria-selected")) states.push("selected");
  const current = attribute(element, "aria-current");
  if (current !== "" && current !== "false") states.push("current");
  if (kind === "field" && fold(element) === "- ") states.push("open");
  const wrong = invalid(element);
  if (wrong !== undefined) states.push(wrong === "" ? "invalid" : `invalid: ${clip(wrong, OUTLINE_NAME_CHARS_MAX)}`);
  if (kind === "field" && (element.getRootNode() as Document).activeElement === element) states.push("focus");
  return states.length === 0 ? "" : ` (${states.join(", ")})`;
}

/** The message about an invalid value, from the page or the browser; `undefined` while the value is valid. */
export function invalid(element: Element): string | undefined {
  const marked = attribute(element, "aria-invalid");
  if (!element.matches(":user-invalid") && (marked === "" || marked === "false")) return undefined;
  const ids = `${attribute(element, "aria-errormessage")} ${attribute(element, "aria-describedby")}`.split(" ");
  const root = element.getRootNode() as Document;
  const texts = ids.flatMap((id) => (id === "" ? [] : (root.getElementById(id)?.textContent ?? []))).map(plain);
  return texts.find(Boolean) ?? (element as Partial<HTMLInputElement>).validationMessage ?? "";
}
