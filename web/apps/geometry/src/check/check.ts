// A check and the format of its finding. A missing backend is distinguished from a fault of the app.

import type { Reply } from "../tools/desk.js";
import type { Subject } from "./subject.js";

export interface Subjects {
  /** The app with real backends, as far as they run. */
  readonly real: Subject;
  /** The app with mock backends. */
  readonly mock: Subject;
}

export interface Check {
  readonly title: string;
  /** Returns what it observed; throws if that is wrong. */
  run(subjects: Subjects): Promise<string>;
}

export interface Group {
  readonly title: string;
  readonly checks: readonly Check[];
}

/** Something could not be checked because a backend is missing. */
export class Away extends Error {
  override readonly name = "Away";
}

export function expect(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

export function equal(seen: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(wanted)];
  expect(one === other, `${what} is ${one}, not ${other}`);
}

export function success(reply: Reply): Reply {
  if (reply.success === false && reply.error_code === "BACKEND_UNAVAILABLE")
    throw new Away(`backend away: ${String(reply.error)}`);
  expect(reply.success === true, `it failed: ${String(reply.error)}`);
  return reply;
}

/** Checks the whole format of an error. */
export function failure(reply: Reply, tool: string, code: string, words: RegExp): string {
  equal(reply.success, false, "success");
  equal(reply.error_code, code, "error_code");
  equal(reply.tool, tool, "tool");
  expect(!Number.isNaN(Date.parse(String(reply.timestamp))), "timestamp is no time");
  expect(words.test(String(reply.error)), `the error says "${String(reply.error)}"`);
  return String(reply.error);
}

/** Every wrong argument must be refused with its own message. */
export async function refuses(
  subject: Subject,
  tool: string,
  cases: readonly (readonly [object, RegExp])[],
): Promise<string> {
  for (const [args, words] of cases) failure(await subject.call(tool, args), tool, "INVALID_INPUT", words);
  return `${String(cases.length)} wrong inputs refused with their reasons`;
}

/** The backend answers, or the error says that it is missing, in words that help. */
export async function answersOrSaysAway(subject: Subject, tool: string, args: object, helps: RegExp): Promise<Reply> {
  const reply = await subject.call(tool, args);
  if (reply.success === true) return reply;
  throw new Away(`backend away: ${failure(reply, tool, "BACKEND_UNAVAILABLE", helps)}`);
}
