// The part behind every verb that sees or acts: one, for whoever acts looks at what it did.

import { acts } from "../act/part.js";
import { looks, seen } from "../look/part.js";
import type { Core, Part } from "../core/part.js";
import type { Verbs } from "./verb.js";

export interface HandsPart extends Part {
  readonly verbs: Verbs;
  readonly seen: typeof seen;
}

export function offer(core: Core): HandsPart {
  return { seen, verbs: { ...looks(), ...acts(core) } };
}
