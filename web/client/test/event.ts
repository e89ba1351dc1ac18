// Waits for an event of a client, with a deadline whose error names the missing event.

import { within } from "../../harness/until.js";
import type { AgentClient, AgentEvents, ProviderEvents, SocketNativeClient } from "../src/index.js";

/** The arguments of the agent's next event of that name. */
export function heard<Name extends keyof AgentEvents>(agent: AgentClient, name: Name): Promise<AgentEvents[Name]> {
  return within(
    name,
    new Promise((resolve) => {
      const once = (...args: AgentEvents[Name]): void => {
        agent.off(name, once);
        resolve(args);
      };
      agent.on(name, once);
    }),
  );
}

/** The arguments of the provider's next event of that name. */
export function seen<Name extends keyof ProviderEvents>(
  provider: Pick<SocketNativeClient, "on" | "off">,
  name: Name,
): Promise<ProviderEvents[Name]> {
  return within(
    name,
    new Promise((resolve) => {
      const once = (...args: ProviderEvents[Name]): void => {
        provider.off(name, once);
        resolve(args);
      };
      provider.on(name, once);
    }),
  );
}
