// A tool of a module, not of a component.

import type {} from "eye-client/global";

const NAME = "edition";

void globalThis.eye?.tool({ name: NAME, description: "Says which edition this is.", execute: () => "first" });
