// Chooses: options of a list, checkboxes and radio buttons, files.

import { hint } from "../core/hint.js";
import { isOn } from "../look/describe.js";
import { kindOf } from "../look/kind.js";
import { misused } from "../page/verb.js";
import { clickAt } from "./click.js";
import { focus, viewOf } from "./pointer.js";
import type { Spot } from "./ready.js";
import { changed } from "./text.js";
import type { Hands } from "./turn.js";

/** Finds the options that an agent names. Throws if the list lacks one. */
export function optionsOf(list: HTMLSelectElement, wanted: unknown): HTMLOptionElement[] {
  const values = (Array.isArray(wanted) ? wanted : [wanted]).map(String);
  if (values.length > 1 && !list.multiple) throw misused("this list takes one choice");
  const options = [...list.options];
  return values.map((value) => {
    const same = (text: string): boolean => text.trim().toLowerCase() === value.trim().toLowerCase();
    const option =
      options.find((one) => one.value === value) ?? options.find(({ label, text }) => same(label) || same(text));
    if (option === undefined)
      throw misused(`no option ${JSON.stringify(value)}`, hint("options", ...options.map(({ label }) => label)));
    if (option.disabled) throw misused(`the option ${JSON.stringify(value)} is disabled`);
    return option;
  });
}

export function select(element: Element, wanted: unknown): void {
  const list = element as HTMLSelectElement;
  const chosen = optionsOf(list, wanted);
  const options = [...list.options];
  focus(list);
  for (const option of options) option.selected = chosen.includes(option);
  changed(list, "input", "change");
}

/** Whether a click was needed. */
export async function check(spot: Spot, on: boolean, hands: Hands): Promise<boolean> {
  const { element } = spot;
  const isOneOf = kindOf(element) === "choice";
  if ((isOneOf ? element.matches(":checked,[aria-checked=true],[aria-selected=true]") : isOn(element) === true) === on)
    return false;
  if (isOneOf && !on) throw misused("one of several cannot be unchecked", hint("another"));
  await clickAt(spot, hands);
  return true;
}

interface Sent {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly base64?: unknown;
}

export function upload(element: Element, files: unknown): void {
  const input = fileInput(element);
  if (input === undefined) throw misused("this takes no files", hint("files"));
  if (!Array.isArray(files) || files.length === 0) throw misused("upload needs files: [{name, type, base64}]");
  if (files.length > 1 && !input.multiple) throw misused("this takes one file");
  const view = viewOf(input);
  const transfer = new view.DataTransfer();
  for (const file of files as (Blob | Sent)[])
    transfer.items.add(
      file instanceof Blob
        ? new view.File([file], file instanceof File ? file.name : "file", { type: file.type })
        : decoded(file, view),
    );
  input.files = transfer.files;
  changed(input, "input", "change");
}

export function fileInput(element: Element): HTMLInputElement | undefined {
  const label = element.closest("label");
  const input = element.matches("input[type=file]")
    ? element
    : (element.querySelector("input[type=file]") ??
      (label?.control?.matches("input[type=file]") === true ? label.control : null));
  return (input as HTMLInputElement | null) ?? undefined;
}

function decoded({ name, type, base64 }: Sent, view: Window & typeof globalThis): File {
  if (typeof name !== "string" || typeof base64 !== "string") throw misused("a file is {name, type, base64}");
  let bytes: string;
  try {
    bytes = atob(base64);
  } catch {
    throw misused(`the file ${name} is no base64`);
  }
  return new view.File(
    [Uint8Array.from(bytes, (char) => char.charCodeAt(0))],
    name,
    typeof type === "string" ? { type } : {},
  );
}
