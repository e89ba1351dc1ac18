// `ALGO.bridge`: the interface of the original desktop, with its results.

import { appNamed, type Desk } from "./desk.js";
import { iconOf } from "./shell/tile.js";

const HTML_CHARS_MAX = 1000;
const NODE_CHARS_MAX = 200;
const TEXT_CHARS_MAX = 500;
const LISTED_TEXT_CHARS_MAX = 100;
const LISTED_LEN_MAX = 50;

interface Failure {
  readonly success: false;
  readonly error: string;
  readonly stack?: string | undefined;
}

type Result = { readonly success: true; readonly [more: string]: unknown } | Failure;

export type Bridge = ReturnType<typeof bridge>;

export function bridge(desk: Desk) {
  const { stack } = desk;

  const onWindow = (
    id: unknown,
    done: string,
    act: (frame: NonNullable<ReturnType<typeof stack.get>>) => void,
  ): Result => {
    const frame = stack.get(Number(id));
    if (frame === undefined) return failure(`Window not found: ${String(id)}`);
    act(frame);
    return { success: true, [done]: frame.id };
  };

  return {
    getState: () => ({
      user: desk.user,
      windows: stack.frames.map(({ summary }) => summary),
      activeWindow: stack.active?.id ?? null,
      systemApps: desk.apps.map((app) => ({ id: app.id, name: app.name, icon: iconOf(app) })),
      pubsubApps: desk.pubsub.apps,
    }),

    /** Returns a promise of the result if the code's value is a promise. */
    eval(code: string): Result | Promise<Result> {
      try {
        const value = (0, eval)(code) as unknown;
        return value instanceof Promise ? value.then(shown, threw) : shown(value);
      } catch (error) {
        return threw(error);
      }
    },

    query(selector: string): Result {
      return guarded(() => {
        const element = document.querySelector(selector);
        if (element === null) return { success: true, result: null };
        const { x, y, width, height } = element.getBoundingClientRect();
        return {
          success: true,
          result: {
            ...brief(element, TEXT_CHARS_MAX),
            html: element.outerHTML.slice(0, HTML_CHARS_MAX),
            rect: { x, y, width, height },
          },
        };
      });
    },

    queryAll(selector: string): Result {
      return guarded(() => {
        const all = [...document.querySelectorAll(selector)];
        return {
          success: true,
          count: all.length,
          result: all.slice(0, LISTED_LEN_MAX).map((element) => brief(element, LISTED_TEXT_CHARS_MAX)),
        };
      });
    },

    click(selector: string): Result {
      return withElement(selector, (element) => {
        if (element instanceof HTMLElement) element.click();
        else element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
        return { success: true, clicked: selector };
      });
    },

    setValue(selector: string, value: string): Result {
      return withElement(selector, (element) => {
        if (!("value" in element)) return failure(`Element has no value: ${selector}`);
        element.value = value;
        for (const name of ["input", "change"]) element.dispatchEvent(new Event(name, { bubbles: true }));
        return { success: true, selector, value };
      });
    },

    openApp(appId: string): Result {
      const app = appNamed(desk.apps, String(appId));
      if (app === undefined) return failure(`App not found: ${String(appId)}`);
      desk.open(app.id);
      return { success: true, opened: app.id, name: app.name };
    },

    closeWindow: (windowId: unknown) => onWindow(windowId, "closed", (frame) => stack.close(frame)),
    focusWindow: (windowId: unknown) => onWindow(windowId, "focused", (frame) => stack.focus(frame)),
  };
}

function shown(value: unknown): Result {
  if (value instanceof Element)
    return { success: true, result: value.outerHTML.slice(0, HTML_CHARS_MAX), type: "element" };
  if (value instanceof NodeList || value instanceof HTMLCollection) {
    return {
      success: true,
      result: Array.from<Node>(value).map((node) =>
        (node instanceof Element ? node.outerHTML : (node.textContent ?? "")).slice(0, NODE_CHARS_MAX),
      ),
      type: "nodelist",
    };
  }
  if (typeof value === "function") return { success: true, result: String(value), type: "function" };
  return { success: true, result: value, type: typeof value };
}

function threw(error: unknown): Failure {
  return error instanceof Error ? { success: false, error: error.message, stack: error.stack } : failure(String(error));
}

function failure(error: string): Failure {
  return { success: false, error };
}

/** Runs a query; an invalid selector becomes an error result. */
function guarded(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    return threw(error);
  }
}

function withElement(selector: string, act: (element: Element) => Result): Result {
  return guarded(() => {
    const element = document.querySelector(selector);
    return element === null ? failure(`Element not found: ${selector}`) : act(element);
  });
}

function brief(element: Element, charsMax: number) {
  return {
    tag: element.tagName.toLowerCase(),
    id: element.id,
    className: element.getAttribute("class") ?? "",
    text: (element.textContent ?? "").trim().slice(0, charsMax),
  };
}
