// Calls one page with the CLI, as an agent would: the output of a verb, and its error.

import assert from "node:assert/strict";
import type { CommandOutput } from "../../harness/home.js";
import type { Stage, Visit } from "./stage.js";

export type Ask = (...args: string[]) => Promise<string>;

/** The output of a verb without its last newline; fails the test if the verb fails. */
export function asking(stage: Stage, { session }: Visit): Ask {
  return async (...args) => {
    const { stdout, stderr, code } = await stage.home.eye("--page", session, ...args);
    assert.equal(code, 0, `eye ${args.join(" ")}: ${stderr}`);
    return stdout.replace(/\n$/, "");
  };
}

/** The result of a verb that must fail. */
export async function refused(stage: Stage, { session }: Visit, ...args: string[]): Promise<CommandOutput> {
  const ran = await stage.home.eye("--page", session, ...args);
  assert.notEqual(ran.code, 0, `eye ${args.join(" ")} printed ${ran.stdout}`);
  return ran;
}

/** The ref in the first line that contains this text. */
export function refOf(outline: string, text: string): string {
  const found = outline.split(/\n| \| /).find((piece) => piece.includes(text));
  const ref = /\be\d+\b/.exec(found ?? "")?.[0];
  assert.ok(ref !== undefined, `no ${text} in\n${outline}`);
  return ref;
}
