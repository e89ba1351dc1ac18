// Waiting for an event, with a deadline that says what was missing.

import type { AgentClient, AgentEvents, ProviderEvents, SocketNativeClient } from "../src/index.js";

const DEADLINE_MS = 60_000;

export async function within<T>(what: string, event: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // An event that a test stopped waiting for does not hold up its end.
    timer = setTimeout(() => reject(new Error(`not within ${String(deadlineMs)} ms: ${what}`)), deadlineMs).unref();
  });
  return Promise.race([event, late]).finally(() => clearTimeout(timer));
}

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
