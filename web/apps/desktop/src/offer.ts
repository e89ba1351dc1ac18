// Offers the desktop to agents through the page client: its state, its apps, its topics, and a few tools.

import type { Bridge } from "./bridge.js";
import type { Desk } from "./desk.js";
import type { Eye } from "./eye.js";
import { tools } from "./tools.js";

/** Resolves when everything is registered. */
export async function offer(eye: Eye, desk: Desk, bridge: Bridge): Promise<void> {
  desk.stack.onChange(() => eye.changed());
  addEventListener("eye:message", (event) => {
    if (event instanceof CustomEvent) answer(eye, desk, bridge, event.detail as unknown);
  });
  await Promise.all([eye.state(() => state(desk)), offerInOrder(eye, desk), relayTopics(eye, desk)]);
}

/**
 * Registers tools and apps one after the other: agents read them in the order of arrival, and an unchanged list stays
 * cached.
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

/** Like `getState`, but with the names of apps only, because the caller pays for each word. */
function state(desk: Desk): object {
  return {
    user: desk.user,
    windows: desk.stack.frames.map(({ summary }) => summary),
    activeWindow: desk.stack.active?.id ?? null,
    apps: desk.apps.map(({ id }) => id),
  };
}

/** Delivers a message to an app, from an agent or over its topic. */
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
      // A message to `claude` is also kept for an agent that connects later.
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
  // The hub processes them in order, so the last one suffices.
  return last;
}

/**
 * Handles a line of the original's mailbox: a call of the bridge, whose result goes back the same way, or a message for
 * the person.
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
