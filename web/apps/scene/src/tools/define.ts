// One declaration makes a tool: its schema for the hub, the check of its arguments, and its effect on the scene.
// Independent of the browser.

import type { SceneModel } from "../model.js";
import { Refusal, type Parameter } from "./parameter.js";

/** The context of a tool besides the scene. */
export interface Around {
  now(): Date;
  /** The page's address, without its query. */
  url(): string;
  session(): string;
}

export interface Outcome {
  /** The scene afterwards; left out if nothing changes. */
  readonly scene?: SceneModel;
  readonly text: string;
  /** The same for programs. */
  readonly value?: object;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
type Values<P extends Parameters> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never };

export interface Declaration<P extends Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters: P;
  readonly reads?: true;
  run(scene: SceneModel, args: Values<P>, around: Around): Outcome;
}

export interface SceneTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations: object;
  /** Throws `Refusal` for arguments that do not fit; the scene is then unchanged. */
  run(scene: SceneModel, args: Readonly<Record<string, unknown>>, around: Around): Outcome;
}

export function define<P extends Parameters>({ name, description, parameters, reads, run }: Declaration<P>): SceneTool {
  const given = Object.entries(parameters);
  const required = given.filter(([, { optional }]) => !optional).map(([key]) => key);
  return {
    name,
    title: titled(name),
    description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(given.map(([key, { schema }]) => [key, schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    annotations: reads === true ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: false },
    run: (scene, args, around) => run(scene, values(name, parameters, args), around),
  };
}

function values<P extends Parameters>(tool: string, parameters: P, args: Readonly<Record<string, unknown>>): Values<P> {
  const names = Object.keys(parameters);
  const refuse = (why: string): never => {
    throw new Refusal(`Input validation error: Invalid arguments for tool ${tool}: ${why}`);
  };
  for (const name of Object.keys(args)) {
    if (!names.includes(name))
      refuse(`unknown argument "${name}"; ${names.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`}`);
  }
  const read = Object.entries(parameters).map(([name, parameter]) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined && !parameter.optional) refuse(`${name} is missing`);
    try {
      return [name, parameter.read(value, name)] as const;
    } catch (error) {
      return error instanceof Refusal ? refuse(error.message) : rethrow(error);
    }
  });
  // Every name of P was read by its own parameter, which the compiler cannot follow through a list.
  return Object.fromEntries(read) as Values<P>;
}

function rethrow(error: unknown): never {
  throw error;
}

/** `set_camera_fov` becomes "Set Camera FOV". */
function titled(name: string): string {
  return name
    .split("_")
    .map((word) =>
      ["fov", "url", "3d"].includes(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join(" ");
}
