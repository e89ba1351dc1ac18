// Answers the browser's own dialogs while a verb acts: alert, confirm and prompt would stop the page until a person
// answers.

import type { Params } from "../page/verb.js";

/**
 * Answers dialogs of this window and its same-origin frames until the returned function is called; `asked` gets a line
 * for each.
 */
export function answerDialogs(asked: string[], { accept, dismiss }: Params): () => void {
  const yes = accept === true || typeof accept === "string";
  const note = (done: string, how: string): string =>
    yes ? done : dismiss === true ? "dismissed" : `dismissed; accept: ${how}`;
  const undo = windows(window).map((view) => {
    const { alert, confirm, prompt } = view;
    const own = {
      alert: (text?: unknown) => void asked.push(`alert: ${text}`),
      confirm: (text?: string) => (asked.push(`confirm: ${text} (${note("accepted", "true accepts")})`), yes),
      prompt: (text?: string, ordinary = "") => {
        asked.push(`prompt: ${text} (${note("answered", '"…" answers')})`);
        return typeof accept === "string" ? accept : yes ? ordinary : null;
      },
    };
    Object.assign(view, own);
    return () => Object.assign(view, { alert, confirm, prompt });
  });
  return () => undo.forEach((one) => one());
}

/** A window and the windows inside it that this code may touch. */
function windows(view: Window): Window[] {
  const found = [view];
  for (let at = 0; at < view.length; at++) {
    const inner = view[at];
    try {
      if (inner?.document !== undefined) found.push(...windows(inner));
    } catch {
      // Of another origin.
    }
  }
  return found;
}
