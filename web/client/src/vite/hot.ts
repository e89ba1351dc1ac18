// Runs in the page: a tool that a module offers while it is evaluated belongs to that module, and is removed when the
// module's next version does not offer it. Tools of components are handled by eye-client/react and eye-client/vue.

import type { Tool, ToolOptions } from "../tools/tool.js";

interface Client {
  tool(tool: Tool, options?: ToolOptions): Promise<void>;
}

interface Owner {
  readonly aborter: AbortController;
  readonly offered: Promise<void>[];
}

const MARK = Symbol.for("eye.client");
const owners = new Map<string, Owner>();
const wrapped = new WeakSet<Client>();
let current: Owner | undefined;

/** Called when the module `id` begins to be evaluated, for the first time or again. */
export function own(id: string): { done(): void; gone(): void } {
  wrap();
  const before = owners.get(id);
  const mine: Owner = { aborter: new AbortController(), offered: [] };
  owners.set(id, mine);
  current = mine;
  return {
    /** The evaluation is complete: tools of the former version that this one has not replaced are removed. */
    done() {
      current = undefined;
      void Promise.allSettled(mine.offered).then(() => before?.aborter.abort());
    },
    /** No module imports this one any more. */
    gone() {
      mine.aborter.abort();
      owners.delete(id);
    },
  };
}

function wrap(): void {
  const client = (globalThis as { [MARK]?: Client | undefined })[MARK];
  if (client === undefined || wrapped.has(client)) return;
  wrapped.add(client);
  const { tool } = client;
  client.tool = (what, { signal } = {}) => {
    const owner = current;
    const signals = [signal, owner?.aborter.signal].filter((one) => one !== undefined);
    const offered = tool.call(client, what, { signal: AbortSignal.any(signals) });
    owner?.offered.push(offered);
    return offered;
  };
}
