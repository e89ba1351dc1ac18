// The interface of a verb, which agents call by name as `page/NAME`, and its errors.

import { CODE_PARAMS, CODE_TIMEOUT } from "../generated/protocol.js";

/** The call that a verb runs for. */
export interface Doing {
  /** Aborts when the agent cancels or the connection is lost. */
  readonly signal: AbortSignal;
  /**
   * Runs `act` now. A navigation that it starts is attributed to this call, which then ends with the new page.
   * `travels`: the navigation starts in a later task.
   */
  own<T>(act: () => T, travels?: boolean): T;
}

/** The call, with what the request says about the agent. */
export interface Asking extends Doing {
  /** The agent's name, the same across connections; empty for the page's own code. */
  readonly agent: string;
  /** Sends progress of a verb that continues. */
  progress(news: object): void;
}

export type Params = Readonly<Record<string, unknown>>;
export type Verb = (params: Params, asking: Asking) => unknown;
export type Verbs = Readonly<Record<string, Verb>>;

/** A failure whose code, hint and data reach the agent unchanged. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(
    readonly code: number,
    message: string,
    readonly data?: { readonly hint?: string; readonly value?: unknown },
  ) {
    super(message);
  }
}

export function misused(message: string, hint?: string): Refused {
  return new Refused(CODE_PARAMS, message, hint === undefined ? undefined : { hint });
}

export function late(message: string, data?: { readonly hint?: string; readonly value?: unknown }): Refused {
  return new Refused(CODE_TIMEOUT, message, data);
}

/** Every part has its own copy of the class, so a refusal is recognized by its name. */
export function isRefused(error: unknown): error is Refused {
  return error instanceof Error && error.name === "Refused";
}

export function textOf(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  throw misused(`this needs ${name}`);
}

/** The timeout in params, in ms, or `ordinary`. */
export function timeoutOf(params: Params, ordinary: number): number {
  const { timeout } = params;
  return typeof timeout === "number" && timeout >= 0 ? timeout : ordinary;
}
