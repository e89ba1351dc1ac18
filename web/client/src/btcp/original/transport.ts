// The transports of a `BTCPClient`: a WebSocket, server-sent events with POSTs, or a custom class that extends
// `BaseTransport`.

import { doorUrl } from "../../wire/address.js";
import type { Carrier, OpenCarrier } from "../../wire/carrier.js";
import { Emitter, type Listener } from "../../wire/emitter.js";
import { messageOf } from "../../wire/error.js";
import { openWebSocket } from "../../wire/websocket.js";
import { openHttp } from "../http.js";
import { BTCPConnectionError } from "./messages.js";

export interface TransportEvents {
  readonly connect: readonly [];
  readonly disconnect: readonly [code: number, reason: string];
  readonly error: readonly [error: Error];
  readonly message: readonly [data: string];
}
export type TransportEventHandler<Name extends keyof TransportEvents> = Listener<TransportEvents[Name]>;

export interface Transport {
  connect(): Promise<void>;
  disconnect(): void;
  send(data: string): Promise<void>;
  isConnected(): boolean;
  on<Name extends keyof TransportEvents>(event: Name, handler: TransportEventHandler<Name>): void;
  off<Name extends keyof TransportEvents>(event: Name, handler: TransportEventHandler<Name>): void;
}

export interface TransportConfig {
  /** `ws://host:port` or `http://host:port`, with or without a path. */
  readonly url: string;
  readonly sessionId?: string | undefined;
  readonly version?: string | undefined;
  readonly connectionTimeout?: number | undefined;
  readonly debug?: boolean | undefined;
  /** The hub's token, which programs outside of a browser need. Not part of BTCP. */
  readonly token?: string | undefined;
}

export interface WebSocketTransportConfig extends TransportConfig {
  readonly pingInterval?: number | undefined;
}

export interface HttpStreamingTransportConfig extends TransportConfig {
  /** Sent with every POST. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const CONNECTION_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 30_000;
const VERSION = "1.0.0";
const CLOSED_NORMALLY = 1000;

export abstract class BaseTransport implements Transport {
  readonly #emitter = new Emitter<TransportEvents>();

  constructor(readonly debug = false) {}

  abstract connect(): Promise<void>;
  abstract disconnect(): void;
  abstract send(data: string): Promise<void>;
  abstract isConnected(): boolean;

  on<Name extends keyof TransportEvents>(event: Name, handler: TransportEventHandler<Name>): void {
    this.#emitter.on(event, handler);
  }

  off<Name extends keyof TransportEvents>(event: Name, handler: TransportEventHandler<Name>): void {
    this.#emitter.off(event, handler);
  }

  protected emit<Name extends keyof TransportEvents>(event: Name, ...args: TransportEvents[Name]): void {
    this.#emitter.emit(event, ...args);
  }

  protected log(...args: unknown[]): void {
    if (this.debug) console.debug("[eye]", ...args);
  }
}

abstract class CarriedTransport extends BaseTransport {
  #carrier: Carrier | undefined;
  #connecting: AbortController | undefined;

  constructor(
    name: string,
    protected readonly config: TransportConfig,
  ) {
    super(config.debug ?? false);
    if (config.url === "") throw new BTCPConnectionError(`url is required for ${name}`);
  }

  protected abstract open(): OpenCarrier;
  protected abstract opened(): void;
  protected abstract ended(): void;

  protected get query(): Record<string, string | undefined> {
    const { sessionId, version = VERSION } = this.config;
    return { sessionId, clientType: "browser", version };
  }

  async connect(): Promise<void> {
    if (this.isConnected()) return;
    if (this.#connecting !== undefined) throw new BTCPConnectionError("Connection already in progress");
    const attempt = new AbortController();
    this.#connecting = attempt;
    const timer = setTimeout(
      () => attempt.abort(new BTCPConnectionError("Connection timeout")),
      this.config.connectionTimeout ?? CONNECTION_TIMEOUT_MS,
    );
    let carrier: Carrier | undefined;
    const early: string[] = [];
    try {
      carrier = await this.open()(
        {
          message: (text) => (carrier === undefined ? void early.push(text) : this.#receive(text)),
          closed: (code, reason) => {
            if (carrier === this.#carrier) this.#closed(code, reason || "Connection closed");
          },
        },
        attempt.signal,
      );
    } catch (error) {
      const why = attempt.signal.aborted ? attempt.signal.reason : error;
      const failed = why instanceof BTCPConnectionError ? why : new BTCPConnectionError(messageOf(why));
      this.emit("error", failed);
      throw failed;
    } finally {
      clearTimeout(timer);
      this.#connecting = undefined;
    }
    this.#carrier = carrier;
    this.opened();
    this.emit("connect");
    for (const text of early) this.#receive(text);
  }

  disconnect(): void {
    this.#connecting?.abort(new BTCPConnectionError("Client disconnected"));
    const carrier = this.#carrier;
    if (carrier === undefined) return;
    carrier.close(CLOSED_NORMALLY, "Client disconnected");
    this.#closed(CLOSED_NORMALLY, "Client disconnected");
  }

  async send(data: string): Promise<void> {
    if (this.#carrier === undefined) throw new BTCPConnectionError("Not connected to server");
    this.log("→", data);
    try {
      await this.#carrier.send(data);
    } catch (error) {
      throw new BTCPConnectionError(messageOf(error));
    }
  }

  isConnected(): boolean {
    return this.#carrier !== undefined;
  }

  #receive(text: string): void {
    this.log("←", text);
    this.emit("message", text);
  }

  #closed(code: number, reason: string): void {
    this.#carrier = undefined;
    this.ended();
    this.emit("disconnect", code, reason);
  }
}

export class WebSocketTransport extends CarriedTransport {
  readonly #pingInterval: number;
  #pings: ReturnType<typeof setInterval> | undefined;

  constructor(config: WebSocketTransportConfig) {
    super("WebSocketTransport", config);
    this.#pingInterval = config.pingInterval ?? PING_INTERVAL_MS;
  }

  protected override open(): OpenCarrier {
    const url = doorUrl(this.config.url, "ws", this.query);
    return (events, signal) => openWebSocket(url, this.config.token, events, signal);
  }

  protected override opened(): void {
    if (this.#pingInterval <= 0) return;
    this.#pings = setInterval(() => {
      const ping = { jsonrpc: "2.0", id: `ping-${String(Date.now())}`, method: "ping" };
      this.send(JSON.stringify(ping)).catch((error: unknown) => this.log("!", error));
    }, this.#pingInterval);
  }

  protected override ended(): void {
    clearInterval(this.#pings);
  }
}

export class HttpStreamingTransport extends CarriedTransport {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(config: HttpStreamingTransportConfig) {
    super("HttpStreamingTransport", config);
    this.#headers = config.headers ?? {};
  }

  protected override open(): OpenCarrier {
    const { url, token, sessionId = "" } = this.config;
    return openHttp({ serverUrl: url, token, query: this.query, headers: this.#headers, sessionId });
  }

  protected override opened(): void {}

  protected override ended(): void {}
}
