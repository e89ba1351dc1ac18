// Lets a person evolve a shader and prompt the language model, with the same tools that agents call.

import { el } from "../../../desktop/src/el.js";
import { isFailure, type Reply } from "../tools/desk.js";

const SEED = `@fragment
fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
  return vec4f(uv.x, 0.5 + 0.5 * sin(uv.y * 12.0), uv.y, 1.0);
}`;
const METRICS = ["performance", "visual_quality", "correctness", "entropy"];

export interface LabHands {
  /** Calls a tool; the console shows it too. */
  call(tool: string, args: object): Promise<Reply>;
  /** Puts a cartridge on the map and shows it. */
  load(url: string): Promise<Reply>;
}

export class LabPanel {
  readonly content: HTMLElement;

  constructor(readonly hands: LabHands) {
    this.content = el("div", { class: "stack lab" }, this.#evolution(), this.#question());
  }

  #evolution(): HTMLElement {
    const shader = el("textarea", {
      class: "field mono",
      name: "seed_shader",
      rows: 5,
      "aria-label": "Shader to begin with, in WGSL",
      spellcheck: "false",
      required: true,
    });
    shader.value = SEED;
    const generations = el("input", {
      class: "field short",
      name: "generations",
      type: "number",
      min: 1,
      max: 100,
      value: "10",
      "aria-label": "Generations",
    });
    const metric = el(
      "select",
      { class: "field", name: "fitness_metric", "aria-label": "Towards" },
      ...METRICS.map((name) => new Option(name.replaceAll("_", " "), name)),
    );
    const told = el("output", { class: "quiet", "aria-label": "What evolution came to" });
    const form = el(
      "form",
      { class: "stack" },
      el("h3", {}, "Evolve a shader"),
      shader,
      el("div", { class: "line" }, metric, generations, el("button", { class: "button" }, "Evolve")),
      told,
    );
    this.#asks(form, told, async () => {
      const reply = await this.hands.call("trigger_evolution", {
        seed_shader: shader.value,
        generations: Number(generations.value),
        fitness_metric: metric.value,
      });
      if (isFailure(reply)) return String(reply.error);
      const { cartridgeUrl: url, bestFitness } = reply as {
        readonly cartridgeUrl?: unknown;
        readonly bestFitness?: unknown;
      };
      if (typeof url === "string") await this.hands.load(url);
      const fitness = typeof bestFitness === "number" ? `, fitness ${bestFitness.toFixed(3)}` : "";
      return `Done${fitness}. ${typeof url === "string" ? "The best is on the map." : ""}`;
    });
    return form;
  }

  #question(): HTMLElement {
    const prompt = el("textarea", {
      class: "field",
      name: "prompt",
      rows: 2,
      "aria-label": "Question to the language model",
      placeholder: "Ask the language model…",
      required: true,
    });
    const told = el("output", { class: "answer", "aria-label": "Answer of the language model" });
    const form = el(
      "form",
      { class: "stack" },
      el("h3", {}, "Ask the language model"),
      prompt,
      el("div", { class: "line" }, el("button", { class: "button" }, "Ask")),
      told,
    );
    this.#asks(form, told, async () => {
      const reply = await this.hands.call("send_llm_prompt", { prompt: prompt.value });
      return isFailure(reply) ? String(reply.error) : String(reply.response ?? "");
    });
    return form;
  }

  /** One run at a time; its result or failure is shown below the form. */
  #asks(form: HTMLFormElement, told: HTMLOutputElement, run: () => Promise<string>): void {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = form.querySelector("button");
      if (button === null || button.disabled) return;
      button.disabled = true;
      told.value = "Working…";
      void run()
        .then((text) => {
          told.value = text;
        })
        .finally(() => {
          button.disabled = false;
        });
    });
  }
}
