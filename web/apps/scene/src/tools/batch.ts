// Several tools as one: all of them, or none.

import type { SceneModel } from "../model.js";
import { define, type SceneTool } from "./define.js";
import { Refusal, shown, type Parameter } from "./parameter.js";

const NAME = "apply_scene_batch";
const ACTIONS_MAX = 100;

interface Action {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The tool that applies these tools. It is not one of them, so a batch cannot contain a batch. */
export function batchOf(tools: readonly SceneTool[]): SceneTool {
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  return define({
    name: NAME,
    description: `Apply several of the scene's tools in order, all or nothing: when one of them is refused, the scene stays as it was and the error says which and why`,
    parameters: { actions: ACTIONS },
    run(before, { actions }, around) {
      let scene: SceneModel = before;
      const results = actions.map(({ tool, args }, at) => {
        try {
          const known = named.get(tool) ?? unknown(tool);
          const { scene: next, text, value } = known.run(scene, args, around);
          scene = next ?? scene;
          return { tool, text, ...(value !== undefined && { value }) };
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          throw new Refusal(
            `Action ${String(at + 1)} of ${String(actions.length)} (${tool}) failed, and nothing was changed: ${error.message}`,
          );
        }
      });
      const lines = results.map(({ text }, at) => `${String(at + 1)}. ${text}`);
      return {
        scene,
        text: [`${String(results.length)} action${results.length === 1 ? "" : "s"} applied`, ...lines].join("\n"),
        value: { results },
      };
    },
  });
}

function unknown(tool: string): never {
  throw new Refusal(tool === NAME ? "a batch cannot hold another" : "the scene has no such tool");
}

const ACTIONS: Parameter<readonly Action[]> = {
  schema: {
    type: "array",
    minItems: 1,
    maxItems: ACTIONS_MAX,
    description: "What to do, in order: the name of a tool (as tool or name) and its arguments",
    items: {
      type: "object",
      properties: { tool: { type: "string" }, name: { type: "string" }, arguments: { type: "object" } },
      anyOf: [{ required: ["tool"] }, { required: ["name"] }],
      additionalProperties: false,
    },
  },
  optional: false,
  read(value) {
    if (!Array.isArray(value) || value.length === 0 || value.length > ACTIONS_MAX)
      throw new Refusal(`actions must be a list of 1 to ${String(ACTIONS_MAX)} actions`);
    return value.map((action: unknown, at) => readAction(action, at + 1));
  },
};

function readAction(action: unknown, place: number): Action {
  const refuse = (why: string): never => {
    throw new Refusal(`action ${String(place)} ${why}`);
  };
  if (!isObject(action)) return refuse(`must be an object, not ${shown(action)}`);
  const { tool, name, arguments: args = {}, ...more } = action;
  const [extra] = Object.keys(more);
  if (extra !== undefined) return refuse(`has an unknown member "${extra}"; it takes tool, name and arguments`);
  if (tool !== undefined && name !== undefined && tool !== name) return refuse("names two tools");
  const called = tool ?? name;
  if (typeof called !== "string") return refuse("names no tool");
  if (!isObject(args)) return refuse(`must have an object as its arguments, not ${shown(args)}`);
  return { tool: called, args };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
