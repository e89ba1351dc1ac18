// Answers the browser's own dialogs while a verb acts: alert, confirm and prompt would block the page until a person
// answers.

import type { Params } from "../page/verb.js";

/**
 * Answers dialogs of this window and its same-origin frames until the returned function is called. Each adds a line to
 * `asked`.
 */
export function answerDialogs(dialogs: string[], { accept, dismiss }: Params): () => void {
  const yes = accept === true || typeof accept === "string";
  const note = (done: string, how: string): string =>
    yes ? done : dismiss === true ? "dismissed" : `dismissed; accept: ${how}`;
  const undo = windows(window).map((view) => {
    const { alert, confirm, prompt } = view;
    const own = {
      alert: (text?: unknown) => void dialogs.push(`alert: ${text}`),
      confirm: (text?: string) => (dialogs.push(`confirm: ${text} (${note("accepted", "true accepts")})`), yes),
      prompt: (text?: string, ordinary = "") => {
        dialogs.push(`prompt: ${text} (${note("answered", '"…" answers')})`);
        return typeof accept === "string" ? accept : yes ? ordinary : null;
      },
    };
    Object.assign(view, own);
    return () => Object.assign(view, { alert, confirm, prompt });
  });
  return () => undo.forEach((one) => one());
}

/** A window and all frames in it that this code can access. */
function windows(view: Window): Window[] {
  const found = [view];
  for (let at = 0; at < view.length; at++) {
    const inner = view[at];
    try {
      if (inner?.document !== undefined) found.push(...windows(inner));
    } catch {
      // A frame of another origin.
    }
  }
  return found;
}
