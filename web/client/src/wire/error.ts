// The one error of the clients: a code of docs/wire.md, one sentence, and what to do next.

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
    // What the page's code threw is read where it was thrown.
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
