// The part behind every verb that sees or acts: one, for whoever acts looks at what it did.

import { acts } from "../act/part.js";
import { looks, seen } from "../look/part.js";
import { countFrom, lastRef } from "../look/refs.js";
import type { Core, HandsPart } from "../core/part.js";
import type { Verb } from "./verb.js";

export function offer(core: Core): HandsPart {
  const welcomed = (): void => countFrom(core.lastRef);
  /** The hub knows how far refs were counted before an agent can use one. */
  const counted =
    (verb: Verb): Verb =>
    async (params, asking) => {
      try {
        return await verb(params, asking);
      } finally {
        if (lastRef() > core.lastRef) {
          core.lastRef = lastRef();
          core.send({ method: "page/info", params: { lastRef: core.lastRef } });
        }
      }
    };
  welcomed();
  const verbs = Object.entries({ ...looks(), ...acts(core) }).map(([name, verb]) => [name, counted(verb)] as const);
  return { seen, welcomed, verbs: Object.fromEntries(verbs) };
}
