// `BTCPClient`: provides tools over a given transport, or locally, within one program.

import { backoffMs } from "../../wire/backoff.js";
import { Emitter, type Listener } from "../../wire/emitter.js";
import { messageOf } from "../../wire/error.js";
import { isObject, type RpcMessage } from "../../wire/rpc.js";
import { sessionOf } from "../http.js";
import type { ToolConsumer } from "./consumer.js";
import { ToolExecutor, type ToolHandler } from "./executor.js";
import {
  type BTCPToolCallResult,
  type BTCPToolDefinition,
  BTCPConnectionError,
  BTCPValidationError,
  createErrorResponse,
  createRequest,
  createResponse,
  createToolCallErrorResponse,
  createToolCallResponse,
  generateMessageId,
  isRequest,
  isResponse,
  type JsonRpcRequest,
  type JsonRpcResponse,
  parseMessage,
  serializeMessage,
} from "./messages.js";
import { HttpStreamingTransport, type Transport, WebSocketTransport } from "./transport.js";

export interface BTCPClientEvents {
  readonly connect: readonly [];
  readonly disconnect: readonly [code: number, reason: string];
  readonly error: readonly [error: Error];
  readonly message: readonly [message: RpcMessage];
  readonly toolCall: readonly [request: JsonRpcRequest];
  readonly toolsList: readonly [request: JsonRpcRequest];
}
export type BTCPClientEventHandler<Name extends keyof BTCPClientEvents> = Listener<BTCPClientEvents[Name]>;

export interface BTCPClientOptions {
  /** Without one, and without `serverUrl`, the client is local: its tools are called in the same program. */
  readonly transport?: Transport | undefined;
  /** The URL's scheme selects the transport. */
  readonly serverUrl?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly version?: string | undefined;
  readonly autoReconnect?: boolean | undefined;
  readonly reconnectDelay?: number | undefined;
  readonly maxReconnectAttempts?: number | undefined;
  readonly connectionTimeout?: number | undefined;
  readonly debug?: boolean | undefined;
  readonly token?: string | undefined;
}

const REQUEST_TIMEOUT_MS = 30_000;
const RECONNECT_DELAY_MS = 1000;
const RECONNECTS_MAX = 5;
const METHOD_NOT_FOUND = -32601;

interface Waiting {
  resolve(response: JsonRpcResponse): void;
  reject(error: Error): void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class BTCPClient {
  readonly #options: BTCPClientOptions;
  readonly #transport: Transport | null;
  readonly #emitter = new Emitter<BTCPClientEvents>();
  readonly #executor = new ToolExecutor();
  readonly #waiting = new Map<string | number, Waiting>();
  #tools: readonly BTCPToolDefinition[] = [];
  #sessionId: string;
  #reconnects = 0;
  #wanted = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: BTCPClientOptions = {}) {
    this.#options = options;
    this.#sessionId = options.sessionId ?? generateMessageId();
    this.#transport = options.transport ?? transportOf(options);
    this.#transport?.on("connect", () => {
      this.#reconnects = 0;
      this.#emitter.emit("connect");
    });
    this.#transport?.on("disconnect", (code, reason) => this.#disconnected(code, reason));
    this.#transport?.on("error", (error) => this.#emitter.emit("error", error));
    this.#transport?.on("message", (data) => this.#receive(data));
  }

  getExecutor(): ToolExecutor {
    return this.#executor;
  }

  registerHandler(name: string, handler: ToolHandler): void {
    this.#executor.registerHandler(name, handler);
  }

  /** A consumer of this client's tools in the same program. */
  async getConsumer(): Promise<ToolConsumer> {
    const consumer = await import("./consumer.js");
    return new consumer.ToolConsumer({ client: this });
  }

  /** The session id from the server; before that, the one from the options. */
  getSessionId(): string {
    return this.#sessionId;
  }

  isLocal(): boolean {
    return this.#transport === null;
  }

  isConnected(): boolean {
    return this.#transport?.isConnected() ?? true;
  }

  async connect(): Promise<void> {
    if (this.#transport === null) {
      this.#emitter.emit("connect");
      return;
    }
    this.#wanted = true;
    clearTimeout(this.#retry);
    if (!this.#transport.isConnected()) await this.#transport.connect();
  }

  disconnect(): void {
    this.#wanted = false;
    clearTimeout(this.#retry);
    this.#transport?.disconnect();
    this.#failAll("Client disconnected");
  }

  /** Never rejects: a failure is a result with `isError`. */
  async execute(name: string, args: Record<string, unknown> = {}): Promise<BTCPToolCallResult> {
    try {
      return { content: await this.#executor.execute(name, args), isError: false };
    } catch (error) {
      return { content: [{ type: "text", text: `Error: ${messageOf(error)}` }], isError: true };
    }
  }

  /** Resolves with the response, even if it is an error. */
  async sendRequest(
    method: string,
    params?: Record<string, unknown>,
    timeout = REQUEST_TIMEOUT_MS,
  ): Promise<JsonRpcResponse> {
    if (!this.isConnected()) throw new BTCPConnectionError("Not connected to server");
    const request = createRequest(method, params);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(request.id);
        reject(new BTCPConnectionError(`Request timeout: ${method}`));
      }, timeout);
      this.#waiting.set(request.id, { resolve, reject, timer });
      this.send(request).catch((error: unknown) => {
        this.#waiting.delete(request.id);
        clearTimeout(timer);
        reject(error instanceof Error ? error : new BTCPConnectionError(String(error)));
      });
    });
  }

  async send(message: RpcMessage): Promise<void> {
    if (this.#transport === null) throw new BTCPConnectionError("No transport configured (local mode)");
    await this.#transport.send(serializeMessage(message));
  }

  /** Rejects if the server refuses a tool. By default registers the tools that the executor knows. */
  async registerTools(tools: readonly BTCPToolDefinition[] = this.#executor.getToolDefinitions()): Promise<void> {
    this.#tools = tools;
    if (this.#transport === null || !this.#transport.isConnected()) return;
    const { error, result } = await this.sendRequest("tools/register", { tools });
    if (error !== undefined) throw new BTCPValidationError(error.message, error.data);
    const rejected = isObject(result) && Array.isArray(result.rejected) ? result.rejected : [];
    if (rejected.length > 0) throw new BTCPValidationError("not every tool was taken", rejected);
  }

  getRegisteredTools(): BTCPToolDefinition[] {
    return [...this.#tools];
  }

  on<Name extends keyof BTCPClientEvents>(event: Name, handler: BTCPClientEventHandler<Name>): void {
    this.#emitter.on(event, handler);
  }

  off<Name extends keyof BTCPClientEvents>(event: Name, handler: BTCPClientEventHandler<Name>): void {
    this.#emitter.off(event, handler);
  }

  #receive(data: string): void {
    const message = parseMessage(data);
    if (message === null) return;
    this.#sessionId = sessionOf(data) ?? this.#sessionId;
    if (isRequest(message)) {
      this.#answer(message).catch((error: unknown) => this.#fail(error));
      return;
    }
    if (isResponse(message)) {
      const waiting = message.id === null ? undefined : this.#waiting.get(message.id);
      if (waiting === undefined || message.id === null) return;
      clearTimeout(waiting.timer);
      this.#waiting.delete(message.id);
      waiting.resolve(message);
      return;
    }
    this.#emitter.emit("message", message);
  }

  async #answer(request: JsonRpcRequest): Promise<void> {
    const { id, method, params = {} } = request;
    switch (method) {
      case "tools/list":
        this.#emitter.emit("toolsList", request);
        return this.send(createResponse(id, { tools: this.#tools }));
      case "tools/call":
        this.#emitter.emit("toolCall", request);
        return this.send(await this.#call(id, params));
      case "ping":
        return this.send(createResponse(id, { pong: true }));
      default:
        return this.send(createErrorResponse(id, METHOD_NOT_FOUND, `Method not found: ${method}`));
    }
  }

  async #call(id: string | number, params: Readonly<Record<string, unknown>>): Promise<JsonRpcResponse> {
    const args = isObject(params.arguments) ? params.arguments : {};
    try {
      return createToolCallResponse(id, await this.#executor.execute(String(params.name), args));
    } catch (error) {
      return createToolCallErrorResponse(id, error instanceof Error ? error : String(error));
    }
  }

  #disconnected(code: number, reason: string): void {
    this.#failAll("Connection lost");
    this.#emitter.emit("disconnect", code, reason);
    if (this.#wanted && (this.#options.autoReconnect ?? true)) this.#again();
  }

  #again(): void {
    const { reconnectDelay = RECONNECT_DELAY_MS, maxReconnectAttempts = RECONNECTS_MAX } = this.#options;
    if (this.#reconnects >= maxReconnectAttempts) return;
    this.#reconnects++;
    this.#retry = setTimeout(
      () => {
        this.#back().catch((error: unknown) => {
          this.#fail(error);
          if (this.#wanted && !this.isConnected()) this.#again();
        });
      },
      backoffMs(reconnectDelay, this.#reconnects),
    );
  }

  /** Reconnects, and registers the tools again: the server has forgotten them. */
  async #back(): Promise<void> {
    await this.connect();
    if (this.#tools.length > 0) await this.registerTools(this.#tools);
  }

  #failAll(why: string): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new BTCPConnectionError(why));
    }
    this.#waiting.clear();
  }

  #fail(error: unknown): void {
    this.#emitter.emit("error", error instanceof Error ? error : new BTCPConnectionError(String(error)));
  }
}

function transportOf(options: BTCPClientOptions): Transport | null {
  const { serverUrl: url, sessionId, version, connectionTimeout, debug, token } = options;
  if (url === undefined) return null;
  const config = { url, sessionId, version, connectionTimeout, debug, token };
  return url.startsWith("http") ? new HttpStreamingTransport(config) : new WebSocketTransport(config);
}
