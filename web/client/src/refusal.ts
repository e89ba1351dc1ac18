// Says why an agent's code cannot run in this page, as a typed answer.

import type { Ability } from "./ability.js";
import { failure } from "./answer.js";
import { CODE_DENIED } from "./generated/protocol.js";

export function refusal(reason: Ability["blocked"]): string {
  if (reason === "the page refuses") return failure(CODE_DENIED, "this page refuses eval", "use verbs and tools");
  const what = reason === "CSP" ? "Content-Security-Policy forbids" : "Trusted Types forbid";
  return failure(CODE_DENIED, `this page's ${what} eval`, "allow 'unsafe-eval' in script-src for development, or use verbs and tools");
}
