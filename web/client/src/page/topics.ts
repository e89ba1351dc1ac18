// Topics and the mailbox: messages between pages and agents. It holds no socket.

import { TOPIC_REQUEST_MS, UNSENT_MAX } from "../core/limits.js";
import type { Core, Part, Rpc } from "../core/part.js";
import type { Verbs } from "./verb.js";

export interface PublishOptions {
  /** `false`: without a subscriber, the message is dropped at once. */
  readonly queue?: boolean | undefined;
  /** How long the message waits for a subscriber, in ms; default 5,000. */
  readonly timeout?: number | undefined;
  /** The page's own name for the sender. The hub sets `from`; people see `from/as`. */
  readonly as?: string | undefined;
}

export interface Published {
  readonly status: "delivered" | "queued" | "dropped";
  readonly count?: number;
  readonly reason?: string;
}

export interface TopicMessage {
  readonly topic: string;
  /** The sender, set by the hub. */
  readonly from: string;
  /** The sender's own name. */
  readonly as?: string;
  /** The origin of a sending page; absent for agents. */
  readonly origin?: string;
  readonly time: number;
}

export type Subscriber = (message: unknown, about: TopicMessage) => void;

export interface Topics extends Required<Omit<Part, "called" | "welcomed" | "isAt">> {
  readonly verbs: Verbs;
  publish(topic: string, message: unknown, options?: PublishOptions): Promise<Published>;
  /** The returned function unsubscribes. */
  subscribe(topic: string, subscriber: Subscriber): Promise<() => void>;
  request(topic: string, message: unknown, options?: { readonly timeout?: number }): Promise<unknown>;
  respond(original: unknown, response: unknown): Promise<Published>;
  tell(message: unknown): void;
  onMessage(listener: (message: unknown) => void): () => void;
}

interface Asked {
  readonly frame: object;
  sent: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Original {
  readonly _requestId?: unknown;
  readonly _responseTopic?: unknown;
}

const OWN_ID = "topics-";

export function topics(core: Core): Topics {
  const requests = new Map<string, Asked>();
  const subscribers = new Map<string, Set<Subscriber>>();
  const listeners = new Set<(message: unknown) => void>();
  let unsent: object[] = [];
  let connected = false;
  let count = 0;

  /** Requests from before the page has joined are sent when it joins. */
  const ask = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (!connected && requests.size >= UNSENT_MAX) throw new Lost("no hub is connected, and too much waits for one");
      const id = OWN_ID + String(++count);
      const one: Asked = { frame: { id, method, params }, sent: connected, resolve, reject };
      requests.set(id, one);
      if (connected) core.send(one.frame);
    });

  const publish: Topics["publish"] = (topic, message, { queue, timeout, as } = {}) =>
    ask("topic/publish", { topic, message: message ?? null, queue, timeout, as }) as Promise<Published>;

  const subscribe: Topics["subscribe"] = async (topic, subscriber) => {
    // A function may be subscribed twice, and is then unsubscribed once each.
    const mine: Subscriber = (...what) => subscriber(...what);
    const others = subscribers.get(topic);
    if (others !== undefined) others.add(mine);
    else {
      subscribers.set(topic, new Set([mine]));
      await ask("topic/subscribe", { topic }).catch((error: unknown) => {
        // After a lost connection, the next one subscribes again.
        if (!(error instanceof Lost)) {
          subscribers.delete(topic);
          throw error;
        }
      });
    }
    return () => {
      const left = subscribers.get(topic);
      if (left?.delete(mine) !== true || left.size > 0) return;
      subscribers.delete(topic);
      if (connected) ask("topic/unsubscribe", { topic }).catch(() => undefined);
    };
  };

  const deliver = ({ message, ...about }: TopicMessage & { readonly message: unknown }): void => {
    for (const [topic, listeners] of [...subscribers]) {
      if (topic !== about.topic && !(topic.endsWith("*") && about.topic.startsWith(topic.slice(0, -1)))) continue;
      for (const one of [...listeners]) guarded(() => one(message, about));
    }
  };

  return {
    publish,
    subscribe,
    async request(topic, message, { timeout = TOPIC_REQUEST_MS } = {}) {
      const _requestId = crypto.getRandomValues(new Uint32Array(2)).join("");
      // No page receives messages under topics that begin with `_`.
      const _responseTopic = `response_${_requestId}`;
      let over: (() => void) | undefined;
      try {
        return await new Promise((resolve, reject) => {
          core.after(timeout, () => reject(new Error("Request timeout")));
          subscribe(_responseTopic, resolve)
            .then((unsubscribe) => {
              over = unsubscribe;
              return publish(
                topic,
                { ...(isObject(message) ? message : { message }), _requestId, _responseTopic },
                { timeout },
              );
            })
            .catch(reject);
        });
      } finally {
        over?.();
      }
    },
    async respond(original, response) {
      const { _responseTopic } = (original ?? {}) as Original;
      if (typeof _responseTopic !== "string") throw new TypeError("this message asks for no response");
      return publish(_responseTopic, response);
    },
    tell(message) {
      const frame = { method: "mailbox/put", params: { message: message ?? null } };
      if (connected) core.send(frame);
      else if (unsent.push(frame) > UNSENT_MAX) unsent.shift();
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    verbs: {
      write({ message }) {
        dispatchEvent(new CustomEvent("eye:message", { detail: message }));
        for (const listener of [...listeners]) guarded(() => listener(message));
      },
    },
    take({ id, method, params, result, error }: Rpc) {
      if (method === "topic/message") {
        deliver(params as unknown as Parameters<typeof deliver>[0]);
        return true;
      }
      const one = method === undefined && typeof id === "string" ? requests.get(id) : undefined;
      if (one === undefined) return false;
      requests.delete(String(id));
      if (error === undefined) one.resolve(result);
      else one.reject(new Error(error.message));
      return true;
    },
    joined() {
      connected = true;
      for (const topic of subscribers.keys())
        core.send({ id: `${OWN_ID}again`, method: "topic/subscribe", params: { topic } });
      for (const one of requests.values()) {
        one.sent = true;
        core.send(one.frame);
      }
      unsent.forEach(core.send);
      unsent = [];
    },
    left() {
      connected = false;
      for (const [id, one] of requests) {
        if (!one.sent) continue;
        requests.delete(id);
        one.reject(new Lost("the connection to the hub was lost"));
      }
    },
  };
}

class Lost extends Error {}

/** An error of one subscriber does not affect the others. */
function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    console.error(error);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
