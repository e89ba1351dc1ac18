// Receives tool calls from all sides: counts, runs and answers them. A failure is an answer too, in the format that
// callers know.

import type { Doing } from "../backends/backends.js";
import { Failure, invalid, messageOf } from "../failure.js";
import { isObject, refuseUnknown, type GeometryTool, type System } from "./tool.js";

export type Reply = Readonly<Record<string, unknown>>;

export interface Called {
  readonly tool: GeometryTool;
  readonly reply: Reply;
  readonly tookMs: number;
}

const NO_CALLER: Doing = { signal: new AbortController().signal, progress: () => undefined };

export class Desk {
  readonly #counts = new Map<string, number>();

  constructor(
    readonly tools: readonly GeometryTool[],
    readonly system: () => System,
    /** Called at the end of every call. */
    readonly called: (called: Called) => void,
  ) {
    for (const { name } of tools) this.#counts.set(name, 0);
  }

  /** Calls by tool, including zeros. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  async invoke(name: string, args: unknown = {}, doing: Doing = NO_CALLER): Promise<Reply> {
    const tool = this.tools.find((one) => one.name === name);
    if (tool === undefined)
      return failure(
        name,
        invalid(`there is no tool ${name}; there are ${this.tools.map((one) => one.name).join(", ")}`),
        false,
      );
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const begun = performance.now();
    const reply = await this.#run(tool, args, doing);
    this.called({ tool, reply, tookMs: performance.now() - begun });
    return reply;
  }

  async #run(tool: GeometryTool, args: unknown, doing: Doing): Promise<Reply> {
    const system = this.system();
    const { mock } = system.backends;
    try {
      if (!isObject(args)) throw invalid("arguments must be an object");
      refuseUnknown(tool, args);
      return { ...(await tool.run(args, system, doing)), ...(mock && { mock }) };
    } catch (error) {
      return failure(tool.name, error, mock);
    }
  }
}

export function isFailure({ success }: Reply): boolean {
  return success === false;
}

function failure(tool: string, error: unknown, mock: boolean): Reply {
  const known = error instanceof Failure ? error : new Failure("EXECUTION_FAILED", messageOf(error));
  return {
    success: false,
    error: known.message,
    error_code: known.code,
    tool,
    timestamp: new Date().toISOString(),
    ...known.more,
    ...(mock && { mock }),
  };
}
