// `trigger_evolution`: evolves a shader in the backend. The result is at `cartridgeUrl`, for `load_rts_cartridge`.

import { EVOLUTION_MS_MAX } from "../backends/limits.js";
import { invalid } from "../failure.js";
import { MARGIN_MS, numberBetween, optionalText, textOf, wholeNumber, type GeometryTool } from "./tool.js";

const METRICS: readonly unknown[] = ["performance", "visual_quality", "correctness", "entropy"];
const GENERATIONS_MAX = 100;
const POPULATION_MAX = 200;

export const EVOLUTION: GeometryTool = {
  name: "trigger_evolution",
  title: "Trigger Evolution",
  description: "Evolves a WGSL shader in the backend towards a fitness metric and saves the best as a cartridge.",
  inputSchema: {
    type: "object",
    properties: {
      seed_shader: { type: "string", description: "WGSL shader code" },
      generations: { type: "number", default: 10, minimum: 1, maximum: GENERATIONS_MAX },
      fitness_metric: { type: "string", enum: METRICS, default: "performance" },
      mutation_rate: { type: "number", default: 0.1, minimum: 0.01, maximum: 0.5 },
      population_size: { type: "number", default: 20, minimum: 2, maximum: POPULATION_MAX },
      target_shader: {
        type: "string",
        description: "For correctness: the shader whose picture is aimed at; the seed's if left out",
      },
      seed: { type: "integer", minimum: 0, description: "The same seed gives the same result" },
    },
    required: ["seed_shader"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false },
  timeout: EVOLUTION_MS_MAX + MARGIN_MS + MARGIN_MS,
  async run(args, { backends }, doing) {
    const seed_shader = textOf(args, "seed_shader");
    const generations = wholeNumber(args, "generations", 10, 1, GENERATIONS_MAX);
    const fitness_metric = args.fitness_metric ?? "performance";
    if (!METRICS.includes(fitness_metric) || typeof fitness_metric !== "string")
      throw invalid(`fitness_metric must be one of: ${METRICS.join(", ")}`);
    const mutation_rate = numberBetween(args, "mutation_rate", 0.1, 0.01, 0.5);
    const population_size = wholeNumber(args, "population_size", 20, 2, POPULATION_MAX);
    const target_shader = optionalText(args, "target_shader");
    const seed = args.seed === undefined ? undefined : wholeNumber(args, "seed", 0, 0, Number.MAX_SAFE_INTEGER);
    const wish = {
      seed_shader,
      generations,
      fitness_metric,
      mutation_rate,
      population_size,
      ...(target_shader !== undefined && { target_shader }),
      ...(seed !== undefined && { seed }),
    };
    return { success: true, ...(await backends.evolve(wish, doing)) };
  },
};
