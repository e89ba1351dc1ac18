// What the desktop gives to agents through the page client: its state, its apps, its topics, and a handful of tools.

import type { Bridge } from "./bridge.js";
import type { Desk } from "./desk.js";
import type { Eye } from "./eye.js";
import { tools } from "./tools.js";

/** Resolves when agents have everything. */
export async function offer(eye: Eye, desk: Desk, bridge: Bridge): Promise<void> {
  desk.stack.onChange(() => eye.changed());
  addEventListener("eye:message", (event) => {
    if (event instanceof CustomEvent) answer(eye, desk, bridge, event.detail as unknown);
  });
  await Promise.all([eye.state(() => state(desk)), offerInOrder(eye, desk), relayTopics(eye, desk)]);
}

/**
 * Tools and apps one after the other: agents read them in the order in which they arrive, and a list that stays the
 * same stays cached.
 */
async function offerInOrder(eye: Eye, desk: Desk): Promise<void> {
  for (const tool of tools(desk)) await eye.tool(tool);
  for (const { id, name, icon } of desk.apps) {
    await eye.app?.({
      name: id,
      title: name,
      icon,
      open: () => void desk.open(id),
      onMessage: (message, from) => deliver(desk, id, message, from),
    });
  }
}

/** As `getState`, with the apps by name only, because the caller pays for each word. */
function state(desk: Desk): object {
  return {
    user: desk.user,
    windows: desk.stack.frames.map(({ summary }) => summary),
    activeWindow: desk.stack.active?.id ?? null,
    apps: desk.apps.map(({ id }) => id),
  };
}

/** A message to an app, from an agent or over its topic. */
function deliver(desk: Desk, id: string, message: unknown, from: string): unknown {
  const app = desk.apps.find((one) => one.id === id);
  if (app?.message === undefined) {
    desk.open(id);
    desk.toast(`${from} to ${app?.name ?? id}`, typeof message === "string" ? message : JSON.stringify(message));
    return undefined;
  }
  return app.message(desk, message, from);
}

/** Resolves when the subscriptions made so far are in force. */
function relayTopics(eye: Eye, desk: Desk): Promise<unknown> {
  const { publish, subscribe } = eye;
  if (publish === undefined || subscribe === undefined) return Promise.resolve();
  let last: Promise<unknown> = Promise.resolve();
  desk.pubsub.join({
    publish(topic, message, { from, ...options }) {
      // What is said to `claude` also waits for an agent that is not there yet.
      if (topic === "claude") eye.tell?.(message);
      publish
        .call(eye, topic, message, { ...options, as: from })
        .catch((error: unknown) => console.warn(`the hub did not take a message to ${topic}:`, error));
    },
    subscribe(topic, deliver) {
      const subscribed = subscribe
        .call(eye, topic, (message, { from, as }) => deliver(message, as === undefined ? from : `${from}/${as}`))
        .catch((error: unknown) => console.warn(`the hub does not let this page hear ${topic}:`, error));
      last = subscribed;
      return () => void subscribed.then((end) => end?.());
    },
  });
  // The hub takes them in order.
  return last;
}

/**
 * A line of the original's mailbox calls the bridge, and its result goes the same way back; anything else is for the
 * person.
 */
function answer(eye: Eye, desk: Desk, bridge: Bridge, message: unknown): void {
  const { _bridge, _args, _id } = (typeof message === "object" && message !== null ? message : {}) as {
    readonly _bridge?: unknown;
    readonly _args?: unknown;
    readonly _id?: unknown;
  };
  if (typeof _bridge !== "string") {
    desk.toast("Message from an agent", typeof message === "string" ? message : JSON.stringify(message));
    return;
  }
  const called = Object.hasOwn(bridge, _bridge)
    ? (bridge as unknown as Record<string, (...args: readonly unknown[]) => unknown>)[_bridge]
    : undefined;
  const result =
    called === undefined
      ? { error: "Unknown bridge command" }
      : called(...(Array.isArray(_args) ? (_args as unknown[]) : []));
  void Promise.resolve(result).then((done) =>
    eye.tell?.({ ...(typeof done === "object" ? done : { result: done }), ...(_id === undefined ? {} : { _id }) }),
  );
}
