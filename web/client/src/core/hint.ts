// A hint as the id of an entry in the hub's table, with parameters. The hub has the words, and quotes the parameters.

import type { HintId } from "../generated/protocol.js";

export function hint(id: HintId, ...parameters: readonly string[]): string {
  return parameters.length === 0 ? id : `${id} ${JSON.stringify(parameters)}`;
}
