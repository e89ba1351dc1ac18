// javascript.ide: a scratch pad whose code runs in this page, where agents' code runs too.

import type { App } from "../desk.js";
import { drawing, el } from "../el.js";
import { icon } from "../icons.js";

const EXAMPLE = "const open = windows.filter((w) => !w.minimized);\n`${getUser()} has ${open.length} window(s) open`";

export const ide: App = {
  id: "javascript.ide",
  name: "javascript.ide",
  icon: "🟨",
  about: "Run JavaScript in this page",
  size: { width: 520, height: 400 },
  glyph: () =>
    drawing(
      '<svg class="letters" viewBox="0 0 48 48" aria-hidden="true"><text x="24" y="33" text-anchor="middle">JS</text></svg>',
    ),
  open(desk, window, path) {
    const code = el("textarea", {
      class: "note is-code",
      "aria-label": "Code",
      spellcheck: "false",
      autocapitalize: "off",
    });
    code.value = path !== undefined && desk.files.has(path) ? desk.files.get(path) : EXAMPLE;
    const output = el(
      "output",
      { class: "console", "aria-live": "polite" },
      el("span", { class: "muted" }, "Ctrl+Enter runs it"),
    );
    const run = async (): Promise<void> => {
      const { text, failed } = await result(code.value);
      output.replaceChildren(el("span", { class: failed ? "is-failed" : "" }, text));
    };
    const keyed = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void run();
    };
    window.title(path ?? "javascript.ide");
    const bar = el(
      "div",
      { class: "toolbar" },
      el("span", { class: "muted toolbar-space" }, "scratch.js"),
      el(
        "button",
        { class: "button is-primary", type: "button", on: { click: () => void run() } },
        icon("play"),
        "Run",
      ),
    );
    return { content: el("div", { class: "notepad", on: { keydown: keyed } }, bar, code, output), first: code };
  },
};

/** The code runs in a block of its own, so that a second run may declare the same names. */
async function result(code: string): Promise<{ readonly text: string; readonly failed: boolean }> {
  try {
    const value = (await (0, eval)(`{${code}\n}`)) as unknown;
    return {
      text: typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value)),
      failed: false,
    };
  } catch (error) {
    return { text: String(error), failed: true };
  }
}
