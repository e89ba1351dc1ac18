// The only error class of the clients: a code of docs/wire.md, one sentence, and the next step.

import { isObject, type RpcFault } from "./rpc.js";

export class EyeError extends Error {
  override readonly name = "EyeError";
  readonly code: number;
  readonly hint: string | undefined;

  constructor(
    code: number,
    message: string,
    more: { readonly hint?: string | undefined; readonly stack?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.hint = more.hint;
    // An error of the page's code keeps the page's stack.
    if (more.stack !== undefined) this.stack = more.stack;
  }

  static from(fault: RpcFault): EyeError {
    const { hint, stack } = isObject(fault.data) ? fault.data : {};
    return new EyeError(fault.code, fault.message, {
      hint: typeof hint === "string" ? hint : undefined,
      stack: typeof stack === "string" ? stack : undefined,
    });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
