// Forms that are declared as tools (`<form toolname tooldescription>`), for browsers that do not support this: watches
// them, and runs them.

import { FORM_LOOK_MS } from "../core/limits.js";
import type { Core } from "../core/part.js";
import { NAME, refuse, type Callable } from "./context.js";
import { checkable, fill, schemaOf, type Field } from "./fields.js";

interface Form {
  readonly form: HTMLFormElement;
  readonly text: string;
  readonly gone: AbortController;
  /** Aborts when the form stops being a tool, but not when its definition changes. */
  readonly over: AbortController;
}

/** The current tools. `changed` is called whenever a check finds a change. */
export function forms(
  core: Core,
  publish: (tool: Callable, signal: AbortSignal) => void,
  changed: () => void,
): ReadonlyMap<string, Callable> {
  const tools = new Map<string, Callable>();
  const known = new Map<string, Form>();

  const look = (): void => {
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    const there = new Map<string, HTMLFormElement>();
    for (const form of document.querySelectorAll<HTMLFormElement>("form[toolname][tooldescription]")) {
      const name = textOf(form, "toolname");
      if (NAME.test(name) && !there.has(name)) there.set(name, form);
    }
    let news = false;
    for (const [name, { form, gone, over }] of known) {
      if (there.get(name) === form) continue;
      known.delete(name);
      tools.delete(name);
      gone.abort();
      over.abort();
      news = true;
    }
    for (const [name, form] of there) {
      const text = JSON.stringify({
        name,
        title: textOf(form, "tooltitle"),
        description: textOf(form, "tooldescription"),
        inputSchema: schemaOf(form),
      });
      const before = known.get(name);
      if (before?.text === text) continue;
      before?.gone.abort();
      const gone = new AbortController();
      const over = before?.over ?? new AbortController();
      const tool: Callable = {
        ...(JSON.parse(text, checkable) as Callable),
        execute: (input, { signal }) => run(form, input, signal, over.signal),
      };
      known.set(name, { form, text, gone, over });
      tools.set(name, tool);
      publish(tool, gone.signal);
      news = true;
    }
    if (news) changed();
  };
  const observer = new MutationObserver(() => {
    observer.disconnect();
    core.after(FORM_LOOK_MS, look);
  });
  look();
  return tools;
}

function textOf(element: Element, name: string): string {
  return element.getAttribute(name) ?? "";
}

/**
 * Fills the form and submits it, or lets the person submit. Resolves with the page's response, or `null` if the form
 * navigates.
 */
function run(form: HTMLFormElement, input: object, signal: AbortSignal, over: AbortSignal): Promise<unknown> {
  fill(form, input);
  const fields = [...form.elements] as Field[];
  const button = fields.find(({ type }) => type === "submit") ?? null;
  const auto = form.hasAttribute("toolautosubmit");
  const wrong = fields.filter((field) => auto && !form.noValidate && field.matches(":invalid") && field.name);
  if (wrong.length > 0)
    throw new Error(
      `Form validation failed: ${wrong.map(({ name, validationMessage }) => `${name}: ${validationMessage}`).join(" ")}`,
    );
  return new Promise((resolve, reject) => {
    const ending = new AbortController();
    let settle: (() => void) | undefined;
    const until = { signal: ending.signal, capture: true };
    const cancel = (why: unknown): void => {
      ending.abort();
      reject(why);
    };
    const submitted = (event: Event): void => {
      if (event.target !== form) return;
      ending.abort();
      let response: readonly unknown[] | undefined;
      const respondWith = (...what: unknown[]): void => {
        if (!event.defaultPrevented)
          refuse(
            "Failed to execute 'respondWith' on 'SubmitEvent': To call respondWith, you must first call preventDefault.",
          );
        response = what;
      };
      Object.defineProperties(event, { agentInvoked: { value: true }, respondWith: { value: respondWith } });
      settle = () => {
        if (response !== undefined) resolve(response[0]);
        else if (!event.defaultPrevented) resolve(null);
        else
          reject(
            new Error(
              "The site has a programming error: it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result",
            ),
          );
      };
      // After all listeners of the page. With our own submit, `requestSubmit` returns after them.
      if (!auto) setTimeout(settle);
    };
    addEventListener("submit", submitted, until);
    form.addEventListener("reset", () => cancel(new Error("Tool execution cancelled by a form reset")), until);
    over.addEventListener(
      "abort",
      () => cancel(new Error("Tool execution cancelled, since tool definition was updated")),
      until,
    );
    signal.addEventListener("abort", () => cancel(signal.reason), until);
    if (auto) {
      form.requestSubmit(button);
      settle?.();
    } else button?.focus();
  });
}
