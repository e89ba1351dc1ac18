// The options of a BTCP client, and their defaults.

import { PROTOCOL_VERSION } from "../generated/protocol.js";

export interface ProviderOptions {
  /** `ws://host:port`, with or without `/ws`. */
  readonly serverUrl: string;
  /** The name of this session. Without one the server makes a name and sends it in its welcome. */
  readonly sessionId?: string | undefined;
  readonly version?: string | undefined;
  readonly autoReconnect?: boolean | undefined;
  /** In milliseconds; doubles with every attempt. */
  readonly reconnectDelay?: number | undefined;
  readonly maxReconnectAttempts?: number | undefined;
  readonly connectionTimeout?: number | undefined;
  readonly pingInterval?: number | undefined;
  readonly debug?: boolean | undefined;
  /** The hub's token, which programs outside of a browser need. Not part of BTCP. */
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
