// Claude Eyes: receives messages of agents (`eye send claude-eyes "analyze"`), shows them with a small picture of the
// desktop as an agent reads it, and answers in one sentence.

import type { App, Desk } from "../desk.js";
import { drawing, el } from "../el.js";
import { icon } from "../icons.js";
import { textOf } from "./chat-log.js";
import { clock } from "./words.js";

interface Seen {
  readonly from: string;
  readonly message: string;
  readonly answer: string;
  readonly at: number;
}

/** The messages to this page, also while the window is closed; the oldest are dropped. */
const seen: Seen[] = [];
const SEEN_LEN_MAX = 50;
const listeners = new Set<() => void>();

export const claudeEyes: App = {
  id: "claude-eyes",
  name: "Claude Eyes",
  icon: "👁️",
  about: "The desktop as an agent sees it",
  size: { width: 440, height: 460 },
  glyph: () => icon("eyes"),
  open(desk) {
    const picture = el("div", { class: "eyes-picture" });
    const words = el("p", { class: "eyes-words", role: "status" });
    const list = el("ol", { class: "eyes-list", "aria-label": "Messages to Claude Eyes" });
    const draw = (): void => {
      picture.replaceChildren(miniature(desk));
      words.textContent = described(desk);
      list.replaceChildren(...seen.toReversed().map(row));
    };
    draw();
    listeners.add(draw);
    const end = desk.stack.onChange(draw);
    return {
      content: el("div", { class: "eyes" }, picture, words, list),
      closed() {
        listeners.delete(draw);
        end();
      },
    };
  },
  message(desk, message, from) {
    desk.open("claude-eyes");
    const answer = described(desk);
    seen.push({ from, message: textOf(message), answer, at: Date.now() });
    if (seen.length > SEEN_LEN_MAX) seen.shift();
    for (const listener of listeners) listener();
    desk.pubsub.publish("claude", answer, {}, "claude-eyes");
    return answer;
  },
};

/** Describes the desktop in one sentence. */
export function described({ user, stack }: Pick<Desk, "user" | "stack">): string {
  const { frames, active } = stack;
  const shown = frames.filter(({ minimized }) => !minimized);
  if (frames.length === 0) return `${user}'s desktop, no windows open`;
  const names = shown.map((frame) => {
    const { x, y, width, height } = frame.bounds;
    return `${frame.title}${frame === active ? " (active)" : ""} ${String(width)}×${String(height)} at ${String(x)},${String(y)}`;
  });
  const hidden = frames.length - shown.length;
  return `${user}'s desktop, ${String(frames.length)} ${frames.length === 1 ? "window" : "windows"}: ${[...names, ...(hidden > 0 ? [`${String(hidden)} minimised`] : [])].join("; ")}`;
}

function miniature({ stack }: Desk): SVGElement {
  const area = stack.area();
  const svg = drawing(
    `<svg viewBox="0 0 ${String(innerWidth)} ${String(innerHeight)}" role="img" aria-label="Where the windows are"></svg>`,
  );
  const shown = stack.frames
    .filter(({ minimized }) => !minimized)
    .toSorted((a, b) => Number(a.element.style.zIndex) - Number(b.element.style.zIndex));
  const boxes = shown.map((frame) => box(frame.bounds, frame.title, frame === stack.active));
  svg.append(
    ...boxes,
    box(
      {
        x: 12,
        y: area.y + area.height + 8,
        width: innerWidth - 24,
        height: Math.max(innerHeight - area.height - area.y - 20, 8),
      },
      "",
      false,
    ),
  );
  return svg;
}

function box(
  { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  title: string,
  isActive: boolean,
): SVGElement {
  const text = drawing(
    `<svg x="${String(x)}" y="${String(y)}" width="${String(width)}" height="${String(height)}" class="${isActive ? "is-active" : ""}"><rect width="100%" height="100%" rx="14"/><text x="50%" y="50%" text-anchor="middle" dominant-baseline="middle"></text></svg>`,
  );
  const words = text.querySelector("text");
  if (words !== null) words.textContent = title;
  return text;
}

function row({ from, message, answer, at }: Seen): HTMLElement {
  return el(
    "li",
    {},
    el("span", { class: "chat-about" }, el("b", {}, from), el("time", {}, clock(at))),
    el("p", {}, message),
    el("p", { class: "muted" }, answer),
  );
}
