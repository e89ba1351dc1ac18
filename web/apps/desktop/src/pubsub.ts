// Messages by topic inside the page, as `ALGO.pubsub`, and over the hub to other subscribers once a relay is set. Holds
// no socket and renders nothing.

export interface Received {
  readonly from: string;
  readonly timestamp: number;
  readonly topic: string;
}

export type Listener = (message: unknown, received: Received) => void;

export interface PublishOptions {
  /** Opens the app of the topic's name if there is no subscriber yet. */
  readonly autoOpen?: boolean | undefined;
  readonly queue?: boolean | undefined;
  /** How long the message waits for a subscriber, in milliseconds. */
  readonly timeout?: number | undefined;
}

/** No subscriber in this page; other pages and agents may have subscribed. */
const PASSED_ON = "no subscribers here, passed on to the hub";

export type Published =
  | { readonly status: "delivered"; readonly count: number }
  | { readonly status: "queued"; readonly reason: "app opening" | "no subscribers" | typeof PASSED_ON }
  | { readonly status: "dropped"; readonly reason: string };

export interface Registration {
  readonly autoOpen?: boolean | undefined;
  readonly openFn?: (() => void) | undefined;
}

/** The connection to other pages and agents. Messages from it are delivered in this page, and never sent back. */
export interface Relay {
  publish(
    topic: string,
    message: unknown,
    options: { readonly from: string; readonly queue: boolean; readonly timeout: number },
  ): void;
  subscribe(topic: string, deliver: (message: unknown, from: string) => void): () => void;
}

interface Waiting {
  readonly message: unknown;
  readonly received: Received;
  readonly until: number;
}

export const MESSAGE_MS = 5_000;
/** Messages per topic, and topics with waiting messages; the oldest are dropped. */
const WAITING_LEN_MAX = 256;
const WAITING_TOPICS_MAX = 256;
/** These topics report the hub's calls: over the hub they would report themselves. */
const LOCAL = new Set(["eye-activity", "mcp-activity"]);

export class Pubsub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #apps = new Map<string, Registration>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #relayed = new Map<string, () => void>();
  readonly #now: () => number;
  #relay: Relay | undefined;
  #requests = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Names of apps that accept messages. */
  get apps(): readonly string[] {
    return [...this.#apps.keys()];
  }

  /** From now on messages and subscriptions also go to other pages and agents. */
  join(relay: Relay): void {
    this.#relay = relay;
    for (const topic of this.#listeners.keys()) this.#listenBeyond(topic);
  }

  register(app: string, registration: Registration = {}): void {
    this.#apps.set(app, registration);
    this.#deliverWaiting(app);
  }

  unregister(app: string): void {
    this.#apps.delete(app);
  }

  /** Returns a function that ends the subscription. */
  subscribe(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    this.#listenBeyond(topic);
    this.#deliverWaiting(topic);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(topic) !== listeners) return;
      this.#listeners.delete(topic);
      this.#relayed.get(topic)?.();
      this.#relayed.delete(topic);
    };
  }

  publish(topic: string, message: unknown, options: PublishOptions = {}, from = "page"): Published {
    const { queue = true, timeout = MESSAGE_MS } = options;
    const received = { from, timestamp: this.#now(), topic };
    const published = this.#publishHere(message, received, options);
    // The hub sends nothing back to its publisher, so a waiting message is never received twice here.
    if (LOCAL.has(topic) || this.#relay === undefined) return published;
    this.#relay.publish(topic, message, { from, queue, timeout });
    // Only the hub knows whether an agent or another page has subscribed.
    if (published.status === "delivered" || published.reason !== "no subscribers") return published;
    return published.status === "queued"
      ? { status: "queued", reason: PASSED_ON }
      : { status: "dropped", reason: PASSED_ON };
  }

  /** Resolves with the first response; rejects when none arrived in time. */
  request(
    topic: string,
    message: unknown,
    { timeout = MESSAGE_MS }: { readonly timeout?: number } = {},
  ): Promise<unknown> {
    const _requestId = `${this.#now().toString(36)}_${String(++this.#requests)}`;
    // The hub delivers topics that begin with `_` to no page.
    const _responseTopic = `response_${_requestId}`;
    return new Promise((resolve, reject) => {
      const end = this.subscribe(_responseTopic, (response) => {
        clearTimeout(timer);
        end();
        resolve(response);
      });
      const timer = setTimeout(() => {
        end();
        reject(new Error("Request timeout"));
      }, timeout);
      const body = typeof message === "object" && message !== null ? message : { message };
      this.publish(topic, { ...body, _requestId, _responseTopic }, { timeout });
    });
  }

  respond(original: unknown, response: unknown): Published {
    const topic =
      typeof original === "object" && original !== null
        ? (original as { readonly _responseTopic?: unknown })._responseTopic
        : undefined;
    if (typeof topic !== "string") return { status: "dropped", reason: "no request" };
    return this.publish(topic, response);
  }

  #publishHere(
    message: unknown,
    received: Received,
    { autoOpen = false, queue = true, timeout = MESSAGE_MS }: PublishOptions,
  ): Published {
    const { topic } = received;
    const count = this.#deliver(message, received);
    if (count > 0) return { status: "delivered", count };
    const app = this.#apps.get(topic);
    const opens = (autoOpen || app?.autoOpen === true) && app?.openFn !== undefined;
    if (!queue && !opens) return { status: "dropped", reason: "no subscribers" };
    this.#keep(message, received, timeout);
    if (!opens) return { status: "queued", reason: "no subscribers" };
    app.openFn?.();
    return { status: "queued", reason: "app opening" };
  }

  #deliver(message: unknown, received: Received): number {
    const listeners = [...(this.#listeners.get(received.topic) ?? [])];
    for (const listener of listeners) {
      try {
        listener(message, received);
      } catch (error) {
        // A listener that throws does not stop the others.
        console.error(`a listener of ${received.topic} threw`, error);
      }
    }
    return listeners.length;
  }

  #keep(message: unknown, received: Received, timeout: number): void {
    const now = this.#now();
    const waiting = (this.#waiting.get(received.topic) ?? []).filter(({ until }) => until > now);
    waiting.push({ message, received, until: now + timeout });
    // Publishing again makes the topic the newest.
    this.#waiting.delete(received.topic);
    this.#waiting.set(received.topic, waiting.slice(-WAITING_LEN_MAX));
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > WAITING_TOPICS_MAX && oldest !== undefined) this.#waiting.delete(oldest);
  }

  #deliverWaiting(topic: string): void {
    if (!this.#listeners.has(topic)) return;
    const waiting = this.#waiting.get(topic) ?? [];
    this.#waiting.delete(topic);
    const now = this.#now();
    for (const { message, received, until } of waiting) if (until > now) this.#deliver(message, received);
  }

  #listenBeyond(topic: string): void {
    if (this.#relay === undefined || this.#relayed.has(topic) || LOCAL.has(topic)) return;
    const deliver = (message: unknown, from: string): void =>
      void this.#deliver(message, { from, timestamp: this.#now(), topic });
    this.#relayed.set(topic, this.#relay.subscribe(topic, deliver));
  }
}
