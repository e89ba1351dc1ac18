// The acting verbs: each waits for its target, does what a person would do, and reports what changed.

import { hint } from "../core/hint.js";
import {
  ACT_MS,
  PRESS_MS_MAX,
  REFILL_PAUSE_MS,
  REFILL_TRIES_MAX,
  SCROLL_FRAMES,
  SETTLE_HOVER_MS,
  SLIDER_KEYS_MAX,
  SLIDER_REAL_KEYS_MAX,
} from "../core/limits.js";
import { find, lineOf } from "../look/find.js";
import { kindOf, type Kind } from "../look/kind.js";
import type { Core, Input, InputCommand, Witness } from "../core/part.js";
import { attribute, inTop } from "../look/tree.js";
import { misused, textOf, timeoutOf, type Asking, type Params, type Verb, type Verbs } from "../page/verb.js";
import { clickAt } from "./click.js";
import { check, fileInput, optionsOf, select, upload } from "./choose.js";
import { drag } from "./drag.js";
import { contextOf, editorInput, holdsCaret, isEditor, pasted } from "./editor.js";
import { focused, strike, strokes, type Stroke } from "./keys.js";
import { type Watch, watch } from "./outcome.js";
import { pageWorld } from "./page-world.js";
import { type Clicking, enter, focus, type Modifiers } from "./pointer.js";
import { realDrag, realKeys, realMove, realText } from "./real.js";
import { realSelect, realUpload } from "./real-choose.js";
import { frame, middle, ready, type Spot, spotAt, type Tools } from "./ready.js";
import { hoverStyles } from "./hover.js";
import { scroll } from "./scroll.js";
import { type Field, isField, replaceText, setRange, stepBeside } from "./text.js";
import { hands, type Hands } from "./turn.js";

/** For each kind of element, the verbs that fit it. */
const INSTEAD: Readonly<Record<Kind, readonly string[]>> = {
  link: ["click"],
  button: ["click"],
  area: ["click"],
  field: ["fill"],
  check: ["check", "uncheck"],
  choice: ["check", "click"],
  select: ["select"],
  slider: ["fill", "press", "drag"],
  file: ["upload"],
};

/** `notes`: lines to add to the report. */
type Act = (params: Params, tools: Tools, asking: Asking, notes: string[]) => Promise<Element | undefined>;

export function acts(core: Core): Verbs {
  const world = core.pageWorld ?? pageWorld(core);

  /** Checks the answers to dialogs; the returned function begins a witness that gives them. */
  const witnessing = (params: Params): (() => Witness) => {
    const { accept, dismiss } = params;
    if (dismiss === true && (accept === true || typeof accept === "string"))
      throw misused("accept and dismiss exclude each other");
    return () => world.witness(params, core.input !== undefined && params.synthetic !== true);
  };

  /** The core, with real input that has the page looked at once it is requested. */
  const looking = ({ requested }: Watch): Core => {
    const { input } = core;
    if (input === undefined) return core;
    const began = (made: Promise<void>, commands: readonly InputCommand[] = []): Promise<void> => {
      requested(made, commands);
      return made;
    };
    const give: Input["give"] = (...what) => began(input.give(...what));
    const make = (commands: readonly InputCommand[]): Promise<void> => began(input(commands), commands);
    return { ...core, input: Object.assign(make, { ...input, give }) };
  };

  /** Makes a verb that runs an act between two looks at the page. */
  const acting =
    (act: Act, firstMs?: number): Verb =>
    async (params, asking) => {
      const timeoutMs = timeoutOf(params, ACT_MS);
      const synthetic = params.synthetic === true;
      const deadline = performance.now() + timeoutMs;
      const watching = watch(core, witnessing(params), firstMs);
      const { signal } = asking;
      const tools: Tools = { core: looking(watching), signal, timeoutMs, deadline, synthetic, waits: watching.prepare };
      try {
        // The first look is taken when the target is ready, so that scrolling it into view does not count as a change.
        const own = <T>(run: () => T): T => {
          watching.begin();
          return asking.own(run);
        };
        const notes: string[] = [];
        const acted = act(params, tools, { ...asking, own }, notes);
        const witness = watching.start();
        const report = await watching.report(await acted);
        return [report, ...notes, ...witness.end().blocked].join("\n");
      } finally {
        watching.end();
      }
    };

  const click1 = async (
    params: Params,
    tools: Tools,
    { own }: Asking,
    notes: string[],
    how: Clicking = {},
  ): Promise<Element> => {
    const { target, at } = params;
    const found = target === undefined ? undefined : await ready(target, tools);
    if (found === undefined && at === undefined) throw misused("click needs a target, or at: [x, y]");
    const spot = at === undefined && found !== undefined ? found : spotAt(at, found);
    const kind = found && kindOf(found.element);
    if (found !== undefined && (kind === "select" || kind === "file")) throw wrong(found.element, "click");
    if (!(await clickAt(spot, hands(tools.core, own, tools.synthetic), { ...clicking(params), ...how })))
      notes.push("it went away while it was pressed, so nothing was clicked");
    return spot.element;
  };

  const fill1 = async (
    target: unknown,
    value: unknown,
    tools: Tools,
    { own }: Asking,
    form = false,
  ): Promise<Element> => {
    // Lists, sliders and editors are often covered by the element that draws them. Any other field that is covered is
    // out of reach.
    const isDrawn = find(target).elements.some(
      (one) => one.localName === "select" || kindOf(one) === "slider" || contextOf(one) !== undefined,
    );
    const { element, ...spot } = await ready(target, tools, !isDrawn);
    const kind = kindOf(element);
    const text = String(value ?? "");
    if (form && kind === "select") await choose(element as HTMLSelectElement, value, tools, own);
    else if (form && kind === "check" && /^(?:true|false|on|off)$/.test(text))
      await check({ element, ...spot }, /^(?:true|on)$/.test(text), hands(tools.core, own, tools.synthetic));
    else if (kind === "slider" && isField(element))
      await setSlider(element, text, hands(tools.core, own, tools.synthetic));
    else if (kind === "slider") await slide(element, text, hands(tools.core, own, tools.synthetic));
    else if (isField(element) && kind === "field") {
      if (element.readOnly) throw misused(`${lineOf(element)}: it is read-only`);
      const { input, turn } = hands(tools.core, own, tools.synthetic);
      if (input !== undefined && TYPED.test(element.type)) {
        own(() => {
          focus(element);
          element.select();
        });
        await (text === "" ? realKeys(input, [{ ...NO_MODIFIERS, key: "Backspace" }], turn) : realText(input, text));
        // A number field drops text that is no number; `replaceText` then throws the error.
        if (element.type === "number" && element.value !== text) own(() => replaceText(element, text));
      } else
        own(() => {
          focus(element);
          replaceText(element, text);
        });
    } else if (isEditor(element)) await refill(element, text, hands(tools.core, own, tools.synthetic));
    else throw wrong(element, "fill");
    return element;
  };

  /**
   * Sets the step beside the value, and goes to the value by a key: react-aria takes a change as finished only then.
   */
  const setSlider = async (element: Field, text: string, { own, turn, input }: Hands): Promise<void> => {
    const { value, key } = stepBeside(element, text);
    const way = Number(text) - Number(element.value);
    const steps = Math.round(Math.abs(way) / (Number((element as HTMLInputElement).step) || 1));
    if (input !== undefined && steps <= SLIDER_REAL_KEYS_MAX) {
      own(() => focus(element));
      const arrow = { ...NO_MODIFIERS, key: way > 0 ? "ArrowRight" : "ArrowLeft" };
      await strikeAll(Array<Stroke>(steps).fill(arrow), { own, turn, input });
      if (Number(element.value) === Number(text)) return;
    }
    own(() => {
      focus(element);
      setRange(element, value);
    });
    await frame(core);
    await strikeAll([{ ...NO_MODIFIERS, key }], { own, turn, input });
    await frame(core);
    if (Number(element.value) !== Number(text)) own(() => setRange(element, text));
  };

  /** Replaces an editor's text, with a frame after selecting: editors read the selection in a task of their own. */
  const refill = async (element: Element, text: string, doing: Hands): Promise<void> => {
    const wanted = lettersIn(text);
    for (let tries = 1; ; tries++) {
      const before = lettersOf(element);
      await replaceAll(element, text, doing);
      const now = lettersOf(element);
      // Some editors (Slate) ignore a selection right after they got the focus, so it is tried again later.
      const isKept = before !== "" && (now === before + wanted || now === wanted + before);
      if (!isKept || contextOf(element) !== undefined || tries === REFILL_TRIES_MAX) return;
      await new Promise<void>((resolve) => core.after(REFILL_PAUSE_MS, resolve));
    }
  };

  const replaceAll = async (element: Element, text: string, { own, turn, input }: Hands): Promise<void> => {
    own(() => focus(element));
    await frame(core);
    await strikeAll([{ ...NO_MODIFIERS, key: "a", ctrlKey: true }], { own, turn, input });
    await frame(core);
    const isLines = text.includes("\n");
    // A paste may still find the old selection in Slate, while a key does not.
    if (text === "" || isLines) await strikeAll([{ ...NO_MODIFIERS, key: "Backspace" }], { own, turn, input });
    if (text === "") return;
    if (isLines) await frame(core);
    // Lines are pasted, with real input as well: inserted as text they become one paragraph in Slate, and Enter would
    // indent.
    if (!isLines || !own(() => pasted(element, text))) {
      if (input !== undefined) return realText(input, text);
      own(() => editorInput(element, "insertText", text));
    }
    await turn();
    await frame(core);
  };

  const choose = async (list: HTMLSelectElement, value: unknown, tools: Tools, own: Asking["own"]): Promise<void> => {
    const { input, turn } = hands(tools.core, own, tools.synthetic);
    const isReal = input !== undefined && (await realSelect(list, optionsOf(list, value), { own, input, turn }, tools));
    if (!isReal) own(() => select(list, value));
  };

  const checking =
    (on: boolean): Act =>
    async ({ target }, tools, { own }) => {
      const spot = await ready(target, tools);
      const kind = kindOf(spot.element);
      if (kind !== "check" && kind !== "choice") throw wrong(spot.element, on ? "check" : "uncheck");
      await check(spot, on, hands(tools.core, own, tools.synthetic));
      return spot.element;
    };

  return {
    click: acting((params, tools, asking, notes) => click1(params, tools, asking, notes)),
    dblclick: acting((params, tools, asking, notes) => click1(params, tools, asking, notes, { double: true })),
    focus: acting(async ({ target }, tools, { own }) => {
      const { element } = await ready(target, tools, false);
      own(() => focus(element));
      if (!element.matches(":focus,:focus-within")) throw misused(`${lineOf(element)}: it does not take the focus`);
      return element;
    }),
    check: acting(checking(true)),
    uncheck: acting(checking(false)),
    hover: acting(async ({ target }, tools, { own }, notes) => {
      const { hit, element, ...place } = await ready(target, tools);
      const { input } = hands(tools.core, own, tools.synthetic);
      if (input === undefined) {
        own(() => enter(hit, place));
        notes.push(...hoverStyles(hit));
      } else await realMove(input, inTop(place, hit));
      return element;
    }, SETTLE_HOVER_MS),
    fill: acting(async (params, tools, asking, notes) => {
      const { fields, target, value, click } = params;
      if (fields === undefined) return fill1(target, value, tools, asking);
      if (!Array.isArray(fields)) throw misused("fields is a list of [target, value]");
      let last: Element | undefined;
      for (const field of fields as unknown[]) {
        if (!Array.isArray(field)) throw misused("fields is a list of [target, value]");
        last = await fill1(field[0], field[1], tools, asking, true);
      }
      return click === undefined ? last : click1({ ...params, target: click }, tools, asking, notes);
    }),
    type: acting(async ({ target, value }, tools, { own }) => {
      const isCovered = find(target).elements.some((one) => contextOf(one) !== undefined);
      const { element } = await ready(target, tools, !isCovered);
      if (!isEditor(element) && (kindOf(element) !== "field" || !isField(element))) throw wrong(element, "type");
      own(() => {
        const there =
          focused() === element && (isField(element) || contextOf(element) !== undefined || holdsCaret(element));
        focus(element);
        if (!there) toEnd(element);
      });
      if (isEditor(element)) await frame(core);
      await strikeAll([...String(value ?? "")].map(keyOf), hands(tools.core, own, tools.synthetic));
      return element;
    }),
    press: acting(async (params, tools, { own }) => {
      const list = strokes(textOf(params, "keys"));
      const { target } = params;
      const element = target === undefined ? undefined : (await ready(target, tools, false)).element;
      own(() => {
        if (element !== undefined) focus(element);
      });
      if (isEditor(focused())) await frame(core);
      await strikeAll(list, hands(tools.core, own, tools.synthetic));
      return element;
    }),
    select: acting(async ({ target, value }, tools, { own }) => {
      const { element } = await ready(target, tools, false);
      if (element.localName !== "select") throw wrong(element, "select");
      await choose(element as HTMLSelectElement, value, tools, own);
      return element;
    }),
    upload: acting(async ({ target, files }, tools, { own }) => {
      // File inputs are often hidden behind the element that a person clicks.
      const [hidden] = find(target).elements;
      const isInput = hidden !== undefined && fileInput(hidden) === hidden;
      const { input, turn } = hands(tools.core, own, tools.synthetic);
      const spot = isInput ? undefined : await ready(target, tools, false);
      const element = spot?.element ?? (hidden as Element);
      const field = fileInput(element);
      if (input === undefined || !input.files) own(() => upload(element, files));
      else {
        const at = field === undefined ? await ready(target, tools) : undefined;
        await realUpload(field, at, files, { own, input, turn });
      }
      return element;
    }),
    drag: acting(async ({ from, to }, tools, { own }) => {
      // The end comes first: scrolling it into view may move the start.
      const end = Array.isArray(to) ? undefined : await ready(to, tools, false);
      const start = Array.isArray(from) ? spotAt(from) : await ready(from, tools);
      const goal = (): { x: number; y: number } => (end === undefined ? place(to) : inView(end));
      const { input, turn } = hands(tools.core, own, tools.synthetic);
      if (input === undefined) await own(() => drag(core, world, start, goal));
      else await realDrag(input, inTop(start, start.hit), () => inTop(goal(), end?.element ?? start.hit), turn);
      return start.element;
    }),
    async scroll(params, { signal }) {
      const timeoutMs = timeoutOf(params, ACT_MS);
      const { target } = params;
      const tools = { core, signal, timeoutMs, deadline: performance.now() + timeoutMs };
      const witness = witnessing(params)();
      try {
        const element = target === undefined ? undefined : (await ready(target, tools, false)).element;
        const input = params.synthetic === true ? undefined : core.input;
        const where = await scroll(element, params, input, () => frame(core));
        for (let frames = 0; frames < SCROLL_FRAMES; frames++) await frame(core);
        return [where(), ...witness.end().asked].join("\n");
      } finally {
        witness.end();
      }
    },
  };
}

/** The options of a click from the verb's params. */
function clicking({ double, right, mod, hold }: Params): Clicking {
  if (hold !== undefined && !(typeof hold === "number" && hold >= 0 && hold <= PRESS_MS_MAX))
    throw misused(`hold is a time in ms, at most ${PRESS_MS_MAX}`);
  return {
    double: double === true,
    right: right === true,
    modifiers: modifiersOf(mod),
    ...(typeof hold === "number" ? { holdMs: hold } : {}),
  };
}

function modifiersOf(mod: unknown): Modifiers {
  if (mod === undefined) return {};
  const names = (Array.isArray(mod) ? mod : String(mod).split("+")).join("+");
  const [{ shiftKey, ctrlKey, altKey, metaKey } = NO_MODIFIERS] = strokes(`${names}+a`);
  return { shiftKey, ctrlKey, altKey, metaKey };
}

/** Fields that accept text key by key; others, such as dates, are set as a whole. */
const TYPED = /^(?:text|search|url|tel|email|password|number|textarea)$/;

const NO_MODIFIERS = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };

/** Strikes keys, with a task for the page after each: the next key may depend on what was rendered for the last. */
async function strikeAll(list: readonly Stroke[], { own, turn, input }: Hands): Promise<void> {
  if (input !== undefined) return realKeys(input, list, turn);
  for (const stroke of list) {
    const release = own(() => strike(stroke));
    await turn();
    own(release);
    await turn();
  }
}

function keyOf(char: string): Stroke {
  return { ...NO_MODIFIERS, key: char === "\n" ? "Enter" : char === "\t" ? "Tab" : char };
}

/** Moves a slider that is not an input by arrow keys, until it has the wanted value or does not come nearer. */
async function slide(element: Element, text: string, { own, turn, input }: Hands): Promise<void> {
  const wanted = Number(text);
  const now = (): number => Number(attribute(element, "aria-valuenow"));
  if (text.trim() === "" || Number.isNaN(wanted)) throw misused(`${lineOf(element)}: a slider takes a number`);
  own(() => focus(element));
  for (let keys = 0; keys < SLIDER_KEYS_MAX && now() !== wanted; keys++) {
    const before = now();
    await strikeAll([{ ...NO_MODIFIERS, key: wanted > before ? "ArrowRight" : "ArrowLeft" }], { own, turn, input });
    if (Math.abs(now() - wanted) >= Math.abs(before - wanted)) break;
  }
  if (now() !== wanted) throw misused(`${lineOf(element)}: it does not take ${text}`, hint("use", "press"));
}

function wrong(element: Element, verb: string): Error {
  const kind = kindOf(element);
  return misused(
    `${lineOf(element)}: ${verb} is not for this`,
    kind === undefined ? hint("click") : hint("use", ...INSTEAD[kind]),
  );
}

function place(to: unknown): { x: number; y: number } {
  const [x, y] = to as unknown[];
  if (typeof x !== "number" || typeof y !== "number") throw misused("to is a target or [x, y] in the viewport");
  return { x, y };
}

function inView({ element }: Spot): { x: number; y: number } {
  return middle(element.getBoundingClientRect());
}

/** An editor's text without white space, in which editors represent lines differently. */
function lettersOf(element: Element): string {
  return lettersIn(element.textContent ?? "");
}

function lettersIn(text: string): string {
  return text.replace(/[\s\u200b\ufeff]+/g, "");
}

function toEnd(element: Element): void {
  if (isField(element)) {
    if (element.selectionStart !== null) element.setSelectionRange(element.value.length, element.value.length);
    return;
  }
  const selection = element.ownerDocument.getSelection();
  selection?.selectAllChildren(element);
  selection?.collapseToEnd();
}
