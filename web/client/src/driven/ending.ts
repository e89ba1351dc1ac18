// The outcome of a verb as JSON for the other half, since errors do not survive JSON.

import { isRefused, Refused } from "../page/verb.js";

export interface Ending {
  readonly value?: unknown;
  /** A failure as a typed answer. */
  readonly typed?: string;
  readonly refused?: Pick<Refused, "code" | "message" | "data">;
  readonly thrown?: string;
}

export function failing(error: unknown): Ending {
  if (typeof error === "string") return { typed: error };
  if (!isRefused(error)) return { thrown: error instanceof Error ? error.message : String(error) };
  const { code, message, data } = error;
  return { refused: { code, message, data } };
}

/** Returns the value, or throws what the verb threw. */
export function endingIn(ending: Ending | undefined): unknown {
  const { value, typed, refused, thrown } = ending ?? {};
  if (typed !== undefined) throw typed;
  if (refused !== undefined) throw new Refused(refused.code, refused.message, refused.data);
  if (thrown !== undefined) throw new Error(thrown);
  return value;
}
