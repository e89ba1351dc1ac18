// How a verb of one half ends for the other: as JSON, which no error survives.

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

/** Gives the value, or throws what the verb threw. */
export function endingIn(ending: Ending | undefined): unknown {
  const { value, typed, refused, thrown } = ending ?? {};
  if (typed !== undefined) throw typed;
  if (refused !== undefined) throw new Refused(refused.code, refused.message, refused.data);
  if (thrown !== undefined) throw new Error(thrown);
  return value;
}
