// Compares the output of `eye look --all` with what the browser reports as visible: recall, precision, and every miss
// by name.

import { ancestors, keepScroll, locate, seenNumber, survey as surveyPage } from "./oracle.mjs";

const PIECE = /^(?:#+ )?(?:(e\d+) )?(.*)$/s;
/** Words that the outline itself adds: titles of groups, marks of states, counts of omitted items. */
const OWN_WORDS = /^(?:dialog|nav|alert|frame|box|row|… .*)\b/;
/** Shorter texts must be whole words of the outline, because longer words may contain them by chance. */
const SHORT_CHARS = 4;
/** Characters that identify a long text; the outline truncates texts. */
const TOLD_CHARS = 40;

/** `printed` is the outline; `elements` describes the element of each ref: tag, id, className, rect. */
export async function compare(cdp, printed, elements) {
  const pieces = printed
    .split("\n")
    .flatMap((line) => line.trim().split(" | "))
    .map(parsed);
  const refs = pieces.filter(({ ref }) => ref !== undefined);
  const numbers = await locate(
    cdp,
    refs.map(({ ref }) => elements[ref]),
  );
  const shown = refs.map((piece, at) => ({ ...piece, id: numbers[at] }));
  // Elements are located, and those in view checked, before the survey scrolls: scrolling may replace the rows of a
  // list.
  for (const one of shown) one.seen = one.id !== undefined && (await seenNumber(cdp, one.id, false)) !== false;
  const survey = await surveyPage(cdp);
  const squeezedText = squeezed(printed);
  const words = new Set(printed.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  const isSaid = (text) => {
    const wanted = squeezed(text);
    return wanted.length < SHORT_CHARS
      ? text
          .toLowerCase()
          .split(/[^\p{L}\p{N}]+/u)
          .every((word) => words.has(word))
      : squeezedText.includes(wanted.slice(0, TOLD_CHARS));
  };

  const missed = [];
  for (const control of survey.controls) {
    const match =
      shown.find(({ id }) => id === control.id) ??
      shown.find(({ id }) => id !== undefined && isAround(survey, id, control.id));
    if (match === undefined) missed.push(`control not printed: ${control.role} "${control.name}"`);
    else if (!squeezed(match.text).includes(squeezed(control.name).slice(0, TOLD_CHARS)) && !isSaid(control.name))
      missed.push(`control without its name: ${control.role} "${control.name}" is printed as ${match.text}`);
  }
  for (const { text } of survey.texts) if (!isSaid(text)) missed.push(`text not printed: ${text}`);

  const wrong = [];
  const restore = await keepScroll(cdp);
  for (const { text, id, seen } of shown) {
    if (id === undefined) wrong.push(`control that is not found again: ${text}`);
    else if (!seen && (await seenNumber(cdp, id, true)) === false) wrong.push(`control that is not seen: ${text}`);
    else if (!isActionable(survey, id)) wrong.push(`control that takes no action: ${text}`);
  }
  await restore();
  const visible = squeezed(survey.texts.map(({ text }) => text).join(" "));
  const known = squeezed(survey.words.join(" "));
  const texts = pieces.filter(({ ref, text }) => ref === undefined && text !== "" && !OWN_WORDS.test(text));
  for (const { text } of texts) {
    // `image: ` is the outline's own word; only the description of the picture is compared.
    const one = squeezed(
      text
        .replace(/^image: /, "")
        .replace(/…$/, "")
        .replace(/:$/, ""),
    ).slice(0, TOLD_CHARS);
    if (!visible.includes(one) && !known.includes(one)) wrong.push(`text that is not seen: ${text}`);
  }
  const wanted = survey.controls.length + survey.texts.length;
  const given = shown.length + texts.length;
  return { wanted, given, missed, wrong };
}

function parsed(text) {
  const [, ref, rest] = PIECE.exec(text);
  return { ref, text: rest };
}

/** Only letters and digits: outlines and trees differ in punctuation and spaces. */
function squeezed(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/**
 * Whether one of the two contains the other, and the outer one contains no other control: a person sees a wrapper and
 * its control as one.
 */
function isAround(survey, a, b) {
  const outer = ancestors(survey.tree, b).includes(a) ? a : ancestors(survey.tree, a).includes(b) ? b : undefined;
  if (outer === undefined) return isLabelled(survey, a, b);
  const inner = outer === a ? b : a;
  return survey.controls.every(({ id }) => id === outer || id === inner || !ancestors(survey.tree, id).includes(outer));
}

/** Whether both are neighbours in one parent that contains no other control. */
function isLabelled(survey, a, b) {
  const box = ancestors(survey.tree, b).find((id) => ancestors(survey.tree, a).includes(id));
  if (box === undefined || /^(?:body|html)$/.test(survey.tree.get(box)?.name ?? "")) return false;
  return survey.controls.every(({ id }) => id === a || id === b || !ancestors(survey.tree, id).includes(box));
}

function isActionable(survey, id) {
  if (survey.controls.some((control) => control.id === id || isAround(survey, id, control.id))) return true;
  if (survey.clickable.has(id)) return true;
  const { attributes = [] } = survey.tree.get(id) ?? {};
  return ["tabindex", "contenteditable", "draggable"].some((name) => attributes.includes(name));
}
