// The reason why an agent's code cannot run in this page, as a typed answer.

import { hint } from "../core/hint.js";
import { CODE_DENIED } from "../generated/protocol.js";
import type { Core } from "../core/part.js";

export function refusal({ blocked, failure }: Core): string {
  if (blocked === "the page refuses") return failure(CODE_DENIED, "this page refuses eval", hint("no-eval"));
  const what = blocked === "CSP" ? "Content-Security-Policy forbids" : "Trusted Types forbid";
  return failure(CODE_DENIED, `this page's ${what} eval`, hint("csp"));
}
