// Renders an agent's call as one row, for the light's list and the agents' window.

import type { Call } from "../agents/activity.js";
import { el } from "../el.js";
import { clock, duration } from "./words.js";

const WORDS: Readonly<Record<Call["outcome"], string>> = {
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

export function callRow({ kind, text, outcome, answer, ms, at }: Call): HTMLElement {
  return el(
    "li",
    { class: `call is-${outcome}` },
    el("span", { class: "call-dot", title: WORDS[outcome] }),
    el("code", { class: "call-text" }, text),
    el("span", { class: "call-answer" }, outcome === "failed" ? `! ${answer}` : answer === "" ? "" : `→ ${answer}`),
    el("span", { class: "call-about" }, `${kind} · ${ms === undefined ? clock(at) : duration(ms)}`),
  );
}

/** Draws at most once a frame: an agent may send ten thousand calls in one message. */
export function oncePerFrame(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
