// A program or page that provides tools to a BTCP server: joins, answers calls, reconnects. The transport is passed in.

import { CODE_CONNECTION, CODE_INTERNAL, CODE_METHOD, CODE_PARAMS } from "../generated/protocol.js";
import { backoffMs } from "../wire/backoff.js";
import type { Carrier, OpenCarrier } from "../wire/carrier.js";
import { Emitter, type Listener } from "../wire/emitter.js";
import { EyeError, messageOf } from "../wire/error.js";
import { Pending } from "../wire/pending.js";
import {
  isObject,
  isRequest,
  isResponse,
  parseFrame,
  type Params,
  type RpcMessage,
  type RpcRequest,
  type RpcResponse,
} from "../wire/rpc.js";
import { ToolExecutor, type ToolHandler } from "./executor.js";
import { settings, type ProviderOptions, type Settings } from "./options.js";

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly [more: string]: unknown;
}

export interface ProviderEvents {
  readonly connect: readonly [];
  readonly disconnect: readonly [code: number, reason: string];
  readonly error: readonly [error: Error];
  readonly message: readonly [message: RpcMessage];
  readonly toolCall: readonly [request: RpcRequest];
  readonly toolsList: readonly [request: RpcRequest];
}

const REQUEST_TIMEOUT_MS = 30_000;
const CLOSED_NORMALLY = 1000;
const CLOSED_SILENT = 4006;
/**
 * Close codes after which a new attempt would fail the same way: bad query, session taken, session of another origin.
 */
const FINAL = new Set([4000, 4003, 4004]);

export abstract class Provider {
  protected readonly settings: Settings;
  readonly #emitter = new Emitter<ProviderEvents>();
  readonly #executor = new ToolExecutor();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #pending = new Pending();
  readonly #running = new Map<string, AbortController>();
  #sessionId: string;
  #carrier: Carrier | undefined;
  #connecting: Promise<void> | undefined;
  #wanted = false;
  #attempts = 0;
  #requests = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pings: ReturnType<typeof setInterval> | undefined;
  /** Aborts the connection attempt in progress. */
  #attempt = new AbortController();

  constructor(options: ProviderOptions) {
    this.settings = settings(options);
    this.#sessionId = this.settings.sessionId;
  }

  protected abstract open(sessionId: string): OpenCarrier;

  /** Resolves after the server's welcome. */
  connect(): Promise<void> {
    if (this.#carrier !== undefined) return Promise.resolve();
    this.#wanted = true;
    this.#attempts = 0;
    clearTimeout(this.#retry);
    return (this.#connecting ??= this.#open()).catch((error: unknown) => {
      this.#wanted = false;
      throw error;
    });
  }

  disconnect(): void {
    this.#wanted = false;
    clearTimeout(this.#retry);
    this.#connecting = undefined;
    this.#attempt.abort(new EyeError(CODE_CONNECTION, "disconnected"));
    const carrier = this.#carrier;
    if (carrier === undefined) return;
    carrier.close(CLOSED_NORMALLY, "Client disconnected");
    this.#ended(CLOSED_NORMALLY, "Client disconnected");
  }

  isConnected(): boolean {
    return this.#carrier !== undefined;
  }

  /** Empty until the server has assigned an id, if none was given. */
  getSessionId(): string {
    return this.#sessionId;
  }

  /** Registers tools; one of the same name is replaced. While disconnected, they are sent with the next connection. */
  async registerTools(tools: readonly ToolDefinition[]): Promise<void> {
    if (!this.#wanted) throw new EyeError(CODE_CONNECTION, "Not connected", { hint: "connect() first" });
    for (const tool of tools) this.#tools.set(tool.name, tool);
    if (this.#carrier !== undefined) await this.#register(tools);
  }

  getExecutor(): ToolExecutor {
    return this.#executor;
  }

  registerHandler(name: string, handler: ToolHandler): void {
    this.#executor.registerHandler(name, handler);
  }

  /** Resolves with the response, even if it is an error. */
  async sendRequest(method: string, params?: object): Promise<RpcResponse> {
    const id = `btcp-${String(++this.#requests)}`;
    const response = this.#pending.wait(id, method, REQUEST_TIMEOUT_MS);
    this.send({ jsonrpc: "2.0", id, method, params }).catch((error: unknown) => {
      this.#pending.fail(id, error instanceof EyeError ? error : new EyeError(CODE_CONNECTION, messageOf(error)));
    });
    return response;
  }

  async send(message: object): Promise<void> {
    if (this.#carrier === undefined) throw new EyeError(CODE_CONNECTION, "Not connected");
    this.#log("→", message);
    await this.#carrier.send(JSON.stringify(message));
  }

  on<Name extends keyof ProviderEvents>(event: Name, handler: Listener<ProviderEvents[Name]>): void {
    this.#emitter.on(event, handler);
  }

  off<Name extends keyof ProviderEvents>(event: Name, handler: Listener<ProviderEvents[Name]>): void {
    this.#emitter.off(event, handler);
  }

  async #open(): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    const timer = setTimeout(
      () => attempt.abort(new EyeError(CODE_CONNECTION, "Connection timeout")),
      this.settings.connectionTimeout,
    );
    let welcomed: () => void = () => undefined;
    const welcome = new Promise<void>((resolve, reject) => {
      welcomed = resolve;
      attempt.signal.addEventListener("abort", () => reject(attempt.signal.reason as EyeError));
    });
    // `open` also rejects on an abort, so this rejection needs no handler.
    welcome.catch(() => undefined);
    let carrier: Carrier | undefined;
    /** Messages that arrived before the connection is set up: calls may come together with the welcome. */
    let early: RpcMessage[] | undefined = [];
    try {
      carrier = await this.open(this.#sessionId)(
        {
          message: (text) => {
            const messages = parseFrame(text);
            if (early === undefined) {
              for (const message of messages) this.#receive(message);
              return;
            }
            early.push(...messages);
            const [first] = early;
            if (first !== undefined && isResponse(first) && first.error !== undefined)
              attempt.abort(EyeError.from(first.error));
            // The server's first message counts as its welcome.
            else welcomed();
          },
          closed: (code, reason) => {
            if (early !== undefined)
              attempt.abort(new EyeError(CODE_CONNECTION, reason || `Connection closed (${String(code)})`));
            else if (carrier === this.#carrier) this.#ended(code, reason);
          },
        },
        attempt.signal,
      );
      await welcome;
    } catch (error) {
      carrier?.close();
      throw attempt.signal.aborted ? attempt.signal.reason : error;
    } finally {
      clearTimeout(timer);
      if (this.#attempt === attempt) this.#connecting = undefined;
    }
    this.#carrier = carrier;
    this.#attempts = 0;
    const received = early;
    early = undefined;
    for (const message of received) this.#receive(message);
    this.#watch();
    this.#emitter.emit("connect");
    // After a reconnect, the server has forgotten the tools.
    if (this.#tools.size > 0) this.#register([...this.#tools.values()]).catch((error: unknown) => this.#fail(error));
  }

  async #register(tools: readonly ToolDefinition[]): Promise<void> {
    const { result, error } = await this.sendRequest("tools/register", { tools });
    if (error !== undefined) throw EyeError.from(error);
    const rejected =
      isObject(result) && Array.isArray(result.rejected) ? (result.rejected as unknown[]).filter(isObject) : [];
    if (rejected.length === 0) return;
    throw new EyeError(
      CODE_PARAMS,
      `not taken: ${rejected.map((one) => `${String(one.name)} (${String(one.error)})`).join(", ")}`,
    );
  }

  /** Closes the connection if the server does not answer a ping, whatever the network reports. */
  #watch(): void {
    let unanswered = false;
    this.#pings = setInterval(() => {
      if (unanswered) {
        this.#carrier?.close(CLOSED_SILENT, "no answer to a ping");
        this.#ended(CLOSED_SILENT, "no answer to a ping");
        return;
      }
      unanswered = true;
      const answered = (): void => void (unanswered = false);
      this.sendRequest("ping").then(answered, () => undefined);
    }, this.settings.pingInterval);
  }

  #ended(code: number, reason: string): void {
    this.#carrier = undefined;
    clearInterval(this.#pings);
    for (const aborter of this.#running.values()) aborter.abort();
    this.#running.clear();
    this.#pending.failAll(new EyeError(CODE_CONNECTION, `Connection closed${reason === "" ? "" : `: ${reason}`}`));
    if (FINAL.has(code)) this.#wanted = false;
    this.#emitter.emit("disconnect", code, reason);
    if (this.#wanted && this.settings.autoReconnect) this.#again();
    else this.#wanted = false;
  }

  #again(): void {
    if (this.#attempts >= this.settings.maxReconnectAttempts) {
      this.#wanted = false;
      this.#fail(new EyeError(CODE_CONNECTION, `no connection after ${String(this.#attempts)} attempts`));
      return;
    }
    this.#attempts++;
    this.#retry = setTimeout(
      () => {
        this.#connecting = this.#open();
        this.#connecting.catch((error: unknown) => {
          this.#fail(error);
          if (this.#wanted) this.#again();
        });
      },
      backoffMs(this.settings.reconnectDelay, this.#attempts),
    );
  }

  #receive(message: RpcMessage): void {
    this.#log("←", message);
    this.#emitter.emit("message", message);
    if (isResponse(message)) this.#settle(message);
    else if (isRequest(message)) this.#answer(message);
    else if (message.method === "call/cancel") this.#cancel(String(message.params?.id));
    else if (message.method === "connected" && typeof message.params?.sessionId === "string")
      this.#sessionId = message.params.sessionId;
  }

  #settle(response: RpcResponse): void {
    if (this.#pending.settle(response)) return;
    const { id, result, error } = response;
    if (id === "welcome" && isObject(result) && typeof result.sessionId === "string")
      this.#sessionId = result.sessionId;
    if (error !== undefined) this.#fail(EyeError.from(error));
  }

  #answer(request: RpcRequest): void {
    const { id, method } = request;
    switch (method) {
      case "tools/call":
        this.#emitter.emit("toolCall", request);
        void this.#call(request);
        return;
      case "tools/list":
        this.#emitter.emit("toolsList", request);
        this.#reply({ id, result: { tools: [...this.#tools.values()] } });
        return;
      case "ping":
        this.#reply({ id, result: { pong: true } });
        return;
      default:
        this.#reply({ id, error: { code: CODE_METHOD, message: `Method not found: ${method}` } });
    }
  }

  async #call({ id, params = {} }: RpcRequest): Promise<void> {
    const key = String(id);
    const aborter = new AbortController();
    this.#running.set(key, aborter);
    const isMine = (): boolean => this.#running.get(key) === aborter;
    const progress = (progress: number, total?: number, message?: string): void => {
      if (isMine()) this.#reply({ method: "call/progress", params: { id, progress, total, message } });
    };
    const answer = await this.#run(params, aborter.signal, progress);
    // A call that was cancelled, or whose connection ended, has been answered already.
    if (!isMine()) return;
    this.#running.delete(key);
    this.#reply({ id, ...answer });
  }

  async #run(
    params: Params,
    signal: AbortSignal,
    progress: (progress: number, total?: number, message?: string) => void,
  ): Promise<object> {
    const args = params.arguments;
    try {
      return {
        result: await this.#executor.execute(String(params.name), isObject(args) ? args : {}, { signal, progress }),
      };
    } catch (error) {
      const { code, message, stack } =
        error instanceof EyeError ? error : new EyeError(CODE_INTERNAL, messageOf(error));
      return { error: code === CODE_METHOD ? { code, message } : { code, message, data: { stack } } };
    }
  }

  #cancel(id: string): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  #reply(message: object): void {
    this.send({ jsonrpc: "2.0", ...message }).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    const shown = error instanceof Error ? error : new EyeError(CODE_INTERNAL, String(error));
    this.#log("!", shown);
    this.#emitter.emit("error", shown);
  }

  #log(direction: string, what: unknown): void {
    if (this.settings.debug) console.debug(`[eye] ${direction}`, what);
  }
}
