// The core's interface for parts, as far as tests without a browser need it.

import type { Core } from "../src/core/part.js";
import { failure } from "../src/core/answer.js";
import { render } from "../src/core/render.js";

export function testCore(more: Partial<Core>): Core {
  return {
    send: () => undefined,
    render,
    failure,
    after: () => undefined,
    called: () => undefined,
    load: (name) => Promise.reject(new Error(`no part ${name} here`)),
    blocked: "",
    run: () => undefined,
    journal: { entries: [], heard: new Set(), open: 0 },
    overheard: [],
    lastRef: 0,
    leaving: "",
    departs: () => undefined,
    input: undefined,
    ...more,
  };
}
