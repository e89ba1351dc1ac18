import type { Core, Part } from "../part.js";
import type { Verbs } from "../verb.js";
export interface ActPart extends Part { readonly verbs: Verbs }
export function offer(_: Core): ActPart { return { verbs: {} }; }
