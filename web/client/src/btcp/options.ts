// What a BTCP client can be told, and what holds when it is not.

import { PROTOCOL_VERSION } from "../generated/protocol.js";

export interface ProviderOptions {
  /** Where the server is: `ws://host:port`, with or without `/ws`. */
  readonly serverUrl: string;
  /** The name to be reached under. Without one the server makes it, and tells it in its welcome. */
  readonly sessionId?: string | undefined;
  readonly version?: string | undefined;
  readonly autoReconnect?: boolean | undefined;
  /** Doubles with every attempt. */
  readonly reconnectDelay?: number | undefined;
  readonly maxReconnectAttempts?: number | undefined;
  readonly connectionTimeout?: number | undefined;
  readonly pingInterval?: number | undefined;
  readonly debug?: boolean | undefined;
  /** The hub's token, which a program outside of a browser needs. Not part of BTCP. */
  readonly token?: string | undefined;
}

export interface Settings {
  readonly serverUrl: string;
  readonly sessionId: string;
  readonly version: string;
  readonly autoReconnect: boolean;
  readonly reconnectDelay: number;
  readonly maxReconnectAttempts: number;
  readonly connectionTimeout: number;
  readonly pingInterval: number;
  readonly debug: boolean;
  readonly token: string | undefined;
}

export function settings(options: ProviderOptions): Settings {
  return {
    serverUrl: options.serverUrl,
    sessionId: options.sessionId ?? "",
    version: options.version ?? PROTOCOL_VERSION,
    autoReconnect: options.autoReconnect ?? true,
    reconnectDelay: options.reconnectDelay ?? 1000,
    maxReconnectAttempts: options.maxReconnectAttempts ?? 5,
    connectionTimeout: options.connectionTimeout ?? 10_000,
    pingInterval: options.pingInterval ?? 30_000,
    debug: options.debug ?? false,
    token: options.token,
  };
}
