// The part behind every verb that sees or acts: one, for whoever acts looks at what it did.

import { acts } from "../act/part.js";
import { looks, seen } from "../look/part.js";
import type { Core, HandsPart } from "../core/part.js";

export function offer(core: Core): HandsPart {
  return { seen, verbs: { ...looks(), ...acts(core) } };
}
