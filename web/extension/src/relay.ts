// Runs in the extension's isolated world of a granted document, for tabs without the debugger: passes messages between
// the worker and the client in the page's world, marks the title, and reports what a picture must hide. No code of the
// page runs here.

import { isSecret } from "../../client/src/core/element.js";
import { MARK } from "./sign.js";

/** Left, top, width and height in CSS pixels of the viewport. */
type Rect = readonly [x: number, y: number, width: number, height: number];

/** A message of the worker over a port: text for the client, or whether the title is marked. */
export type ToPage = string | boolean;

/** The names of the two document events by which both worlds communicate. */
export interface Events {
  readonly toPage: string;
  readonly fromPage: string;
}

/** The geometry of the document, for a picture. */
export interface Metrics {
  readonly pageX: number;
  readonly pageY: number;
  readonly width: number;
  readonly height: number;
  /** Without scrollbars. */
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly contentWidth: number;
  readonly contentHeight: number;
  readonly density: number;
  /** The person's pinch-zoom factor. */
  readonly pinched: number;
}

export interface Relay {
  join(name: string, events: Events): void;
  metrics(): Metrics;
  /** Waits until the page's current content is drawn on the screen, then measures. */
  shown(): Promise<Metrics>;
  hidden(unmasked: boolean): readonly Rect[];
}

/** Elements that show documents, which may be of other origins. */
const FRAMES = new Set(["iframe", "frame", "object", "embed", "fencedframe"]);
/** Largest difference between a frame's box and its untransformed size for it to count as not transformed. */
const SAME_PX = 0.5;
const DRAWN_MS_MAX = 500;

const relay: Relay = {
  join(name, { toPage, fromPage }) {
    const port = chrome.runtime.connect({ name });
    const passOn = (event: Event): void => port.postMessage((event as CustomEvent<string>).detail);
    document.addEventListener(fromPage, passOn);
    port.onMessage.addListener((message) => {
      if (typeof message === "boolean") mark(message);
      else document.dispatchEvent(new CustomEvent(toPage, { detail: message }));
    });
    port.onDisconnect.addListener(() => document.removeEventListener(fromPage, passOn));
  },
  metrics,
  shown: async () => {
    const drawn = new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    // A window that is not visible draws nothing.
    await Promise.race([drawn, new Promise((resolve) => setTimeout(resolve, DRAWN_MS_MAX))]);
    return metrics();
  },
  hidden: (unmasked) => hiddenIn(document, 0, 0, unmasked),
};

function metrics(): Metrics {
  return {
    pageX: scrollX,
    pageY: scrollY,
    width: innerWidth,
    height: innerHeight,
    clientWidth: visualViewport?.width ?? innerWidth,
    clientHeight: visualViewport?.height ?? innerHeight,
    contentWidth: (document.scrollingElement ?? document.documentElement).scrollWidth,
    contentHeight: (document.scrollingElement ?? document.documentElement).scrollHeight,
    density: devicePixelRatio,
    pinched: visualViewport?.scale ?? 1,
  };
}

function mark(marked: boolean): void {
  const has = document.title.startsWith(MARK);
  if (marked && !has) document.title = MARK + document.title;
  else if (!marked && has) document.title = document.title.slice(MARK.length);
}

/** Filled fields for secrets, and frames that cannot be inspected, because they may contain such fields. */
function hiddenIn(root: ParentNode, dx: number, dy: number, unmasked: boolean): Rect[] {
  const found: Rect[] = [];
  for (const one of root.querySelectorAll<HTMLElement>("*")) {
    const box = (): Rect => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return [x + dx, y + dy, width, height];
    };
    const shadow = chrome.dom.openOrClosedShadowRoot(one);
    if (shadow !== null) found.push(...hiddenIn(shadow, dx, dy, unmasked));
    if (FRAMES.has(one.localName)) {
      const [x, y, width, height] = box();
      const inner = documentOf(one);
      const within = inner && hiddenIn(inner, x + one.clientLeft, y + one.clientTop, unmasked);
      // Transforms of coordinates inside the frame are not computed, so the whole frame is hidden.
      const same = Math.abs(width - one.offsetWidth) < SAME_PX && Math.abs(height - one.offsetHeight) < SAME_PX;
      if (within === undefined || (within.length > 0 && !same)) found.push([x, y, width, height]);
      else found.push(...within);
    } else if (!unmasked && isFilled(one) && isSecret(one)) found.push(box());
  }
  return found.filter(([, , width, height]) => width > 0 && height > 0);
}

function documentOf(frame: Element): Document | undefined {
  return (frame as HTMLIFrameElement).contentDocument ?? undefined;
}

function isFilled(one: Element): boolean {
  return /^(?:input|textarea)$/.test(one.localName) && (one as HTMLInputElement).value !== "";
}

(globalThis as { eyeRelay?: Relay }).eyeRelay = relay;
