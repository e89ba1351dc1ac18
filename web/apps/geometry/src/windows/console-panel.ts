// A log of tool calls with their endings, and the output of pixel programs. A person can run a program here too.

import { el } from "../../../desktop/src/el.js";
import { clip } from "../clip.js";
import { isFailure, type Called, type Reply } from "../tools/desk.js";

const LINES_MAX = 200;
const LINE_CHARS_MAX = 400;
/** Prints Hi: MOV R1 'H', STORE, MOV R1 'i', STORE, HALT. */
const EXAMPLE = "01014800 0d012000 01016900 0d012000 ff000000";

export class ConsolePanel {
  readonly #log = el("ol", { class: "log", role: "log", "aria-label": "What was done" });
  readonly content: HTMLElement;

  constructor(run: (program: string) => void) {
    const field = el("input", {
      class: "field mono",
      name: "program",
      value: EXAMPLE,
      "aria-label": "Pixel program, in hex",
      spellcheck: "false",
      autocomplete: "off",
    });
    const form = el("form", { class: "line" }, field, el("button", { class: "button" }, "Run"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      run(field.value);
    });
    this.content = el("div", { class: "stack" }, this.#log, form);
  }

  /** The newest line is at the bottom, and a closed window cannot be scrolled. */
  shown(): void {
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  called({ tool, reply, tookMs }: Called): void {
    this.#add(
      isFailure(reply) ? "bad" : "good",
      tool.name,
      `${summary(reply)} · ${tookMs < 10 ? tookMs.toFixed(1) : String(Math.round(tookMs))} ms`,
    );
  }

  say(text: string): void {
    this.#add("said", "console", text);
  }

  #add(kind: string, who: string, text: string): void {
    this.#log.append(el("li", { class: kind }, el("b", {}, who), " ", clip(text, LINE_CHARS_MAX)));
    while (this.#log.childElementCount > LINES_MAX) this.#log.firstElementChild?.remove();
    this.#log.scrollTop = this.#log.scrollHeight;
  }
}

/** The most informative member of a reply. */
function summary(reply: Reply): string {
  if (isFailure(reply)) return `${String(reply.error_code)}: ${String(reply.error)}`;
  for (const name of ["response", "agentId", "cartridgeId", "dimensions", "coordinates", "result", "region"]) {
    const value = reply[name];
    if (value !== undefined) return `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`;
  }
  return "done";
}
