// Chooses with real input, in a browser that eye drives: options of a list by keys or clicks, files through the
// browser.

import { hint } from "../core/hint.js";
import type { FilesFor, GivenFile, Input } from "../core/part.js";
import { kindOf } from "../look/kind.js";
import { misused } from "../page/verb.js";
import { inTop } from "../look/tree.js";
import type { Stroke } from "./keys.js";
import { focus } from "./pointer.js";
import { frame, middle, type Spot, type Tools } from "./ready.js";
import { realClick, realKeys } from "./real.js";
import type { Hands } from "./turn.js";

const KEY = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };

function isChosen(list: HTMLSelectElement, chosen: readonly HTMLOptionElement[]): boolean {
  const now = [...list.selectedOptions];
  return now.length === chosen.length && chosen.every((option) => now.includes(option));
}

/** Whether a key or a click can choose the option. */
function isOpen(option: HTMLOptionElement): boolean {
  const group = option.parentElement;
  const isOff = option.disabled || (group instanceof HTMLOptGroupElement && group.disabled);
  return !isOff && getComputedStyle(option).display !== "none";
}

/** Returns whether the options are chosen now; a list that the page draws or guards itself may not accept them. */
export async function realSelect(
  list: HTMLSelectElement,
  chosen: readonly HTMLOptionElement[],
  { own, input, turn }: Hands & { readonly input: Input },
  tools: Tools,
): Promise<boolean> {
  own(() => focus(list));
  if (isChosen(list, chosen)) return true;
  if (list.multiple || list.size > 1) await clickOptions(list, chosen, input, turn);
  else await pressOption(list, chosen, input, turn, tools);
  return isChosen(list, chosen);
}

/** The first click replaces the selection; those with Control add to it. */
async function clickOptions(
  list: HTMLSelectElement,
  chosen: readonly HTMLOptionElement[],
  input: Input,
  turn: Hands["turn"],
): Promise<void> {
  for (const [at, option] of chosen.entries()) {
    option.scrollIntoView({ block: "nearest", behavior: "instant" });
    const place = inTop(middle(option.getBoundingClientRect()), list);
    await realClick(input, place, { modifiers: at === 0 ? {} : { ctrlKey: true } }, turn);
  }
}

/** Opens the list, moves to the option by arrows, and confirms: one change event, whatever lies between. */
async function pressOption(
  list: HTMLSelectElement,
  [wanted]: readonly HTMLOptionElement[],
  input: Input,
  turn: Hands["turn"],
  { core }: Tools,
): Promise<void> {
  const options = [...list.options].filter(isOpen);
  const [from, to] = [list.selectedOptions[0], wanted].map((option) => (option ? options.indexOf(option) : -1));
  if (to === undefined || to < 0 || from === undefined) return;
  const press = (key: string, times = 1): Promise<void> =>
    realKeys(input, Array<Stroke>(times).fill({ ...KEY, key }), turn);
  await press(" ");
  await frame(core);
  if (from < 0) await press("Home");
  await press(to > Math.max(from, 0) ? "ArrowDown" : "ArrowUp", Math.abs(to - Math.max(from, 0)));
  await press("Enter");
  await frame(core);
  if (list.selectedOptions[0] !== wanted) await press("Escape");
}

interface Sent {
  readonly name?: unknown;
  readonly base64?: unknown;
}

export async function contentOf(file: Blob | Sent): Promise<GivenFile> {
  if (file instanceof Blob) {
    const url = await new Promise<string>((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.onerror = () => reject(reader.error ?? new Error("the file cannot be read"));
      reader.readAsDataURL(file);
    });
    return { name: file instanceof File ? file.name : "file", base64: url.replace(/^[^,]*,/, "") };
  }
  const { name, base64 } = file;
  if (typeof name !== "string" || typeof base64 !== "string") throw misused("a file is {name, type, base64}");
  return { name, base64 };
}

const OPENS = /^(?:button|link|area)$/;

/** Puts files into the field; without one, into the chooser that a button opens, or drops them on the element. */
export async function realUpload(
  field: HTMLInputElement | undefined,
  spot: Spot | undefined,
  files: unknown,
  { own, input }: Hands & { readonly input: Input },
): Promise<void> {
  if (!Array.isArray(files) || files.length === 0) throw misused("upload needs files: [{name, type, base64}]");
  if (files.length > 1 && field?.multiple === false) throw misused("this takes one file");
  const contents = await Promise.all((files as (Blob | Sent)[]).map(contentOf));
  own(() => undefined);
  if (field !== undefined) return input.give(contents, field);
  if (spot === undefined) throw misused("this takes no files", hint("files"));
  const by = OPENS.test(kindOf(spot.element) ?? "") ? "chooser" : "drop";
  const to: FilesFor = { by, ...inTop(spot, spot.hit) };
  if (by === "chooser") return input.give(contents, to);
  let isTaken = false;
  const taken = (): void => {
    isTaken = true;
  };
  const view = spot.hit.ownerDocument.defaultView ?? window;
  view.addEventListener("drop", taken, { capture: true });
  try {
    await input.give(contents, to);
    if (!isTaken) throw misused("this takes no files", hint("files"));
  } finally {
    view.removeEventListener("drop", taken, { capture: true });
  }
}
