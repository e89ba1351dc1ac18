// An agent's connection to its hub: hello, requests and their responses, reconnection. It knows nothing of methods
// beyond that.

import { CODE_CANCELLED } from "../generated/protocol.js";
import { CODE_CONNECTION, PROTOCOL_VERSION } from "../generated/protocol.js";
import { backoffMs } from "../wire/backoff.js";
import type { Carrier, OpenCarrier } from "../wire/carrier.js";
import { EyeError, messageOf } from "../wire/error.js";
import { Pending } from "../wire/pending.js";
import { isRequest, isResponse, parseFrame, type Params, type RpcId, type RpcMessage } from "../wire/rpc.js";

export interface AgentLinkEvents {
  notified(method: string, params: Params): void;
  /** Runs on every new connection, before any other request. */
  joined(ask: (method: string, params: object) => Promise<unknown>): Promise<void>;
  lost(code: number, reason: string): void;
}

export interface Asking {
  /** In milliseconds; gives up at this client in case the hub does not end the call. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((params: Params) => void) | undefined;
}

const CONNECT_MS_MAX = 10_000;
const RETRY_FIRST_MS = 100;
const RETRY_MS_MAX = 5000;
const PING_MS = 20_000;
/** How long a request waits for the client to reconnect, in milliseconds. */
const GAP_MS_MAX = 10_000;

export class AgentLink {
  readonly #open: OpenCarrier;
  readonly #hello: object;
  readonly #events: AgentLinkEvents;
  readonly #pending = new Pending();
  readonly #progress = new Map<RpcId, (params: Params) => void>();
  #carrier: Carrier | undefined;
  /** The connection attempt in progress; rejects if it fails. */
  #making: Promise<void> | undefined;
  #wanted = false;
  #attempts = 0;
  #ids = 0;
  #attempt = new AbortController();
  #trouble: unknown;
  /** Callbacks of requests that wait for the end of an attempt. */
  #waiters: (() => void)[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pings: ReturnType<typeof setInterval> | undefined;

  constructor(open: OpenCarrier, hello: object, events: AgentLinkEvents) {
    this.#open = open;
    this.#hello = hello;
    this.#events = events;
  }

  get connected(): boolean {
    return this.#carrier !== undefined && this.#making === undefined;
  }

  async connect(): Promise<void> {
    if (this.connected) return;
    this.#wanted = true;
    clearTimeout(this.#retry);
    try {
      await (this.#making ??= this.#make());
    } catch (error) {
      this.#wanted = false;
      throw error;
    }
  }

  close(): void {
    this.#wanted = false;
    clearTimeout(this.#retry);
    this.#attempt.abort(new EyeError(CODE_CONNECTION, "closed"));
    const carrier = this.#carrier;
    if (carrier === undefined) return;
    carrier.close(1000, "");
    this.#ended(1000, "closed");
  }

  /** Resolves with the result; every error is an `EyeError`. */
  async request(method: string, params: object, asking: Asking = {}): Promise<unknown> {
    if (!this.connected) await this.#gap(asking.signal);
    return this.#ask(method, params, asking);
  }

  async #ask(method: string, params: object, { timeoutMs, signal, onProgress }: Asking): Promise<unknown> {
    const carrier = this.#carrier;
    if (carrier === undefined) throw unconnected();
    if (signal?.aborted === true) throw cancelled(signal);
    const id = ++this.#ids;
    const answer = this.#pending.wait(id, method, timeoutMs);
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    const cancel = (): void => {
      carrier.send(JSON.stringify({ jsonrpc: "2.0", method: "call/cancel", params: { id } })).catch(() => undefined);
      this.#pending.fail(id, cancelled(signal));
    };
    signal?.addEventListener("abort", cancel, { once: true });
    carrier.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })).catch((error: unknown) => {
      this.#pending.fail(id, error instanceof EyeError ? error : new EyeError(CODE_CONNECTION, messageOf(error)));
    });
    try {
      const { result, error } = await answer;
      if (error !== undefined) throw EyeError.from(error);
      return result;
    } finally {
      this.#progress.delete(id);
      signal?.removeEventListener("abort", cancel);
    }
  }

  async #gap(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#wanted) throw unconnected();
    const end = Date.now() + GAP_MS_MAX;
    while (this.#wanted && !this.connected) {
      if (signal?.aborted === true) throw cancelled(signal);
      if (Date.now() > end) throw this.#trouble ?? unconnected();
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  async #make(): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    const timer = setTimeout(
      () => attempt.abort(new EyeError(CODE_CONNECTION, "the hub does not answer")),
      CONNECT_MS_MAX,
    );
    let carrier: Carrier | undefined;
    try {
      carrier = await this.#open(
        {
          message: (text) => {
            for (const message of parseFrame(text)) this.#receive(message);
          },
          closed: (code, reason) => {
            if (carrier === this.#carrier) this.#ended(code, reason);
          },
        },
        attempt.signal,
      );
      attempt.signal.throwIfAborted();
      this.#carrier = carrier;
      attempt.signal.addEventListener("abort", () => this.#pending.failAll(attempt.signal.reason as EyeError));
      await this.#ask("hello", { clientType: "agent", version: PROTOCOL_VERSION, ...this.#hello }, {});
      await this.#events.joined((method, params) => this.#ask(method, params, {}));
      this.#attempts = 0;
      this.#watch();
    } catch (error) {
      if (this.#carrier === carrier) this.#carrier = undefined;
      carrier?.close(1000, "");
      this.#trouble = attempt.signal.aborted ? attempt.signal.reason : error;
      throw this.#trouble;
    } finally {
      clearTimeout(timer);
      if (this.#attempt === attempt) this.#making = undefined;
      this.#wake();
    }
  }

  /** Closes the connection if the hub does not answer a ping, whatever the network reports. */
  #watch(): void {
    let unanswered = false;
    clearInterval(this.#pings);
    this.#pings = setInterval(() => {
      if (unanswered) {
        this.#carrier?.close(1000, "");
        this.#ended(4006, "no answer to a ping");
        return;
      }
      unanswered = true;
      const answered = (): void => void (unanswered = false);
      this.#ask("ping", {}, {}).then(answered, () => undefined);
    }, PING_MS);
  }

  #ended(code: number, reason: string): void {
    const worked = this.connected;
    this.#carrier = undefined;
    clearInterval(this.#pings);
    this.#pending.failAll(
      new EyeError(CODE_CONNECTION, `the connection to the hub is lost${reason === "" ? "" : `: ${reason}`}`),
    );
    if (!worked) return;
    this.#events.lost(code, reason);
    if (this.#wanted) this.#again();
    else this.#wake();
  }

  #again(): void {
    this.#attempts++;
    // A random factor, so that agents that lost the same hub do not all reconnect at once.
    const wait = backoffMs(RETRY_FIRST_MS, this.#attempts, RETRY_MS_MAX) * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => {
      this.#making = this.#make();
      this.#making.catch(() => {
        if (this.#wanted) this.#again();
      });
    }, wait);
  }

  #receive(message: RpcMessage): void {
    if (isResponse(message)) {
      // The awaiting code runs later; progress that arrives in between is too late already.
      if (message.id !== null) this.#progress.delete(message.id);
      this.#pending.settle(message);
    } else if (isRequest(message))
      void this.#carrier?.send(
        JSON.stringify({ jsonrpc: "2.0", id: message.id, result: message.method === "ping" ? { pong: true } : null }),
      );
    else if (message.method === "call/progress")
      this.#progress.get(message.params?.id as RpcId)?.(message.params ?? {});
    else this.#events.notified(message.method, message.params ?? {});
  }
}

function unconnected(): EyeError {
  return new EyeError(CODE_CONNECTION, "not connected to a hub", { hint: "connect() first" });
}

function cancelled(signal: AbortSignal | undefined): EyeError {
  return new EyeError(CODE_CANCELLED, "cancelled", { cause: signal?.reason });
}
