// What a verb is: the thing an agent asks of a page by name, `page/NAME`, and how it says that it cannot.

import { CODE_PARAMS, CODE_TIMEOUT } from "../generated/protocol.js";

/** The call that a verb runs for, as the core lends it. */
export interface Doing {
  /** Aborts when the agent cancels or the connection is lost. */
  readonly signal: AbortSignal;
  /**
   * Runs now. A navigation that it starts is known as this call's, and ends it where the page arrives. `travels`: it
   * starts one soon.
   */
  own<T>(act: () => T, travels?: boolean): T;
}

/** The same with what the request says of the agent. */
export interface Asking extends Doing {
  /** The agent, across connections; empty for the page's own code. */
  readonly agent: string;
  /** What a verb that goes on has to tell. */
  progress(news: object): void;
}

export type Params = Readonly<Record<string, unknown>>;
export type Verb = (params: Params, asking: Asking) => unknown;
export type Verbs = Readonly<Record<string, Verb>>;

/** A failure whose code, next step and data reach the agent as they are. */
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

/** Parts have a copy of the class each, so a refusal is known by its looks. */
export function isRefused(error: unknown): error is Refused {
  return error instanceof Error && error.name === "Refused";
}

export function textOf(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  throw misused(`this needs ${name}`);
}

/** The time that an agent gives to a verb, in ms. */
export function timeoutOf(params: Params, ordinary: number): number {
  const { timeout } = params;
  return typeof timeout === "number" && timeout >= 0 ? timeout : ordinary;
}
