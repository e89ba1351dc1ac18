// Finds a same-origin frame by its index, name or other text.

import { hint } from "../core/hint.js";
import { CODE_PARAMS } from "../generated/protocol.js";
import type { Core } from "../core/part.js";

type FrameElement = HTMLIFrameElement | HTMLFrameElement;

/** The frame's window, or a typed answer with the reason why there is none. */
export function frameWindow({ failure }: Core, name: string): (Window & typeof globalThis) | string {
  const frames = [...document.querySelectorAll<FrameElement>("iframe, frame")];
  const element = find(frames, name);
  const list = frames.length === 0 ? ["none"] : frames.map(describe);
  if (element === undefined) {
    return failure(CODE_PARAMS, `no frame matches ${JSON.stringify(name)}`, hint("frames", ...list));
  }
  const inside = element.contentDocument;
  const global = element.contentWindow as (Window & typeof globalThis) | null;
  if (inside === null || global === null) {
    return failure(
      CODE_PARAMS,
      `the frame ${describe(element, frames.indexOf(element))} is of another origin`,
      hint("frame", ...list),
    );
  }
  return global;
}

function find(frames: readonly FrameElement[], name: string): FrameElement | undefined {
  if (/^\d+$/.test(name)) return frames[Number(name)];
  return (
    frames.find((frame) => frame.name === name) ??
    frames.find((frame) => selects(frame, name)) ??
    frames.find((frame) => urlOf(frame).includes(name))
  );
}

function selects(frame: FrameElement, selector: string): boolean {
  try {
    return frame.matches(selector);
  } catch {
    return false;
  }
}

function urlOf(frame: FrameElement): string {
  try {
    return frame.contentWindow?.location.href ?? frame.src;
  } catch {
    return frame.src;
  }
}

function describe(frame: FrameElement, index: number): string {
  const name = frame.id ? ` #${frame.id}` : frame.name ? ` ${frame.name}` : "";
  return `${index}${name} ${urlOf(frame)}`;
}
