// Names the next step by an id of the hub's table: the words are the hub's, and it quotes the parameters.

import type { HintId } from "../generated/protocol.js";

export function hint(id: HintId, ...parameters: readonly string[]): string {
  return parameters.length === 0 ? id : `${id} ${JSON.stringify(parameters)}`;
}
