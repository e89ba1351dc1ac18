// `send_llm_prompt`: one prompt to the language model behind the hub.

import { HTTP_MS_MAX } from "../backends/limits.js";
import { invalid } from "../failure.js";
import { isNumber, MARGIN_MS, numberBetween, optionalText, textOf, type Args, type GeometryTool } from "./tool.js";

export const LLM: GeometryTool = {
  name: "send_llm_prompt",
  title: "Send LLM Prompt",
  description:
    "Sends a prompt to the configured language model and gives its response, with the tokens used and the time it took.",
  inputSchema: {
    type: "object",
    properties: {
      prompt: { type: "string" },
      model: { type: "string", default: "local" },
      temperature: { type: "number", default: 0.7, minimum: 0, maximum: 2 },
      max_tokens: { type: "number", default: 2048, minimum: 1 },
      system_prompt: { type: "string" },
    },
    required: ["prompt"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, untrustedContentHint: true },
  timeout: HTTP_MS_MAX + MARGIN_MS,
  async run(args, { backends }, doing) {
    const prompt = textOf(args, "prompt");
    const model = optionalText(args, "model") ?? "local";
    const temperature = numberBetween(args, "temperature", 0.7, 0, 2);
    const max_tokens = tokensOf(args);
    const system_prompt = optionalText(args, "system_prompt");
    const begun = performance.now();
    const answer = await backends.prompt(
      { prompt, model, temperature, max_tokens, ...(system_prompt !== undefined && { system_prompt }) },
      doing,
    );
    return { success: true, ...answer, latencyMs: Math.round(performance.now() - begun) };
  },
};

function tokensOf({ max_tokens = 2048 }: Args): number {
  if (!isNumber(max_tokens) || !Number.isInteger(max_tokens) || max_tokens < 1)
    throw invalid("max_tokens must be a positive integer");
  return max_tokens;
}
