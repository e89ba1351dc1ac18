// The global names for code in this page, by an agent or by a person in the IDE.

import type { Bridge } from "./bridge.js";
import type { Desk } from "./desk.js";
import type { Pubsub } from "./pubsub.js";

export function defineGlobals(desk: Desk, bridge: Bridge): void {
  const opened = (id: string, argument?: string) => {
    const frame = desk.open(id, argument);
    if (frame === undefined)
      throw new Error(`App not found: ${id}; there are ${desk.apps.map((app) => app.id).join(", ")}`);
    return { id: frame.id, title: frame.title };
  };
  define({
    ALGO: {
      bridge,
      pubsub: facade(desk.pubsub),
      vm: { eval: (code: string) => (0, eval)(code) as unknown, user: desk.user },
    },
    openSystemApp: (id: string) => opened(id),
    openNotepad: (path?: string) => opened("notepad", path),
    getUser: () => desk.user,
    getState: () => bridge.getState(),
    apps: () => desk.apps.map(({ id }) => id),
    wins: () => desk.stack.frames.map(({ id, title }) => ({ id, title })),
    $: (selector: string) => document.querySelector(selector),
    $$: (selector: string) => [...document.querySelectorAll(selector)],
  });
  Object.defineProperty(window, "windows", {
    get: () => desk.stack.frames.map(({ summary }) => summary),
    configurable: true,
  });
}

/** The methods as bound functions, so that they can be used without their object. */
function facade(pubsub: Pubsub) {
  return {
    register: pubsub.register.bind(pubsub),
    unregister: pubsub.unregister.bind(pubsub),
    subscribe: pubsub.subscribe.bind(pubsub),
    publish: pubsub.publish.bind(pubsub),
    request: pubsub.request.bind(pubsub),
    respond: pubsub.respond.bind(pubsub),
  };
}

function define(names: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(names))
    Object.defineProperty(window, name, { value, configurable: true, writable: true });
}
