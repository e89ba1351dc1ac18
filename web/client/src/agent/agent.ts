// The client for agents: finds pages, calls their tools, evaluates code in them. Runs in Node and in browsers.

import { CODE_PARAMS, type SessionRow } from "../generated/protocol.js";
import type { ToolResult } from "../btcp/content.js";
import { doorUrl } from "../wire/address.js";
import type { OpenCarrier } from "../wire/carrier.js";
import { Emitter, type Listener } from "../wire/emitter.js";
import { EyeError } from "../wire/error.js";
import { isObject, type Params, type RpcFault } from "../wire/rpc.js";
import { openUnix } from "../wire/unix.js";
import { openWebSocket } from "../wire/websocket.js";
import { describe, rank } from "./discover.js";
import { AgentLink } from "./link.js";
import type { ListedTool } from "./signature.js";

export interface AgentOptions {
  /** The hub's URL; default `ws://localhost:8765`. */
  readonly url?: string | undefined;
  /** What `eye token show` prints. */
  readonly token?: string | undefined;
  /** The hub's Unix socket, which needs no token. Node only. */
  readonly unix?: string | undefined;
  /** The session to join with every connection. */
  readonly session?: string | undefined;
}

export type { SessionRow };

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  /** In milliseconds. Default: the tool's own timeout, or 30 s. */
  readonly timeout?: number | undefined;
  /** Aborting it cancels the call in the page. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** An id, an alias, or part of a title or URL. */
  readonly page?: string | undefined;
  /** Confirms the call of a tool with consequences. */
  readonly confirm?: boolean | undefined;
}

export type BatchResult = { readonly result: ToolResult } | { readonly error: EyeError };

export interface AgentEvents {
  readonly "tools/updated": readonly [news: { readonly sessionId: string; readonly tools: readonly ListedTool[] }];
  readonly "session/pageGone": readonly [news: { readonly sessionId: string }];
  readonly "session/pageBack": readonly [news: { readonly sessionId: string }];
  /** The connection is lost; unless `close()` ended it, the client reconnects. */
  readonly close: readonly [code: number, reason: string];
}

const URL_DEFAULT = "ws://localhost:8765";
/** The hub ends calls at their timeout; the client gives up this much later, in milliseconds. */
const LATE_MS = 2000;

export interface GatewayCallOptions extends Pick<CallOptions, "timeout" | "confirm" | "signal"> {
  readonly select?: string | undefined;
}

export class AgentClient {
  readonly #link: AgentLink;
  readonly #emitter = new Emitter<AgentEvents>();
  #session: string | undefined;

  constructor(options: AgentOptions = {}) {
    this.#session = options.session;
    this.#link = new AgentLink(
      opening(options),
      {},
      {
        notified: (method, params) => this.#notified(method, params),
        joined: async (ask) => {
          if (this.#session !== undefined) await ask("session/join", { sessionId: this.#session });
        },
        lost: (code, reason) => this.#emitter.emit("close", code, reason),
      },
    );
  }

  connect(): Promise<void> {
    return this.#link.connect();
  }

  close(): void {
    this.#link.close();
  }

  get connected(): boolean {
    return this.#link.connected;
  }

  async sessions(): Promise<SessionRow[]> {
    return list<SessionRow>(await this.#link.request("session/list", {}), "sessions");
  }

  /**
   * Joins a session, and joins it again after every reconnect: calls go to it by default, and its events arrive.
   * Returns its tools.
   */
  async join(sessionId: string): Promise<ListedTool[]> {
    const result = await this.#link.request("session/join", { sessionId });
    this.#session = sessionId;
    return list<ListedTool>(result, "tools");
  }

  async leave(): Promise<void> {
    this.#session = undefined;
    await this.#link.request("session/leave", {});
  }

  async tools(
    options: { readonly page?: string | undefined; readonly filter?: string | undefined } = {},
  ): Promise<ListedTool[]> {
    return list<ListedTool>(
      await this.#link.request("tools/list", { page: options.page, filter: options.filter }),
      "tools",
    );
  }

  async call(name: string, args: object = {}, options: CallOptions = {}): Promise<ToolResult> {
    const { timeout, signal, onProgress, page, confirm } = options;
    const result = await this.#link.request(
      "tools/call",
      { name, arguments: args, timeout, page, confirm },
      {
        timeoutMs: lateMs(timeout),
        signal,
        onProgress: onProgress && ((params) => onProgress(params as unknown as Progress)),
      },
    );
    return result as ToolResult;
  }

  /** Calls several tools; returns one result for each, in order. */
  async callBatch(
    calls: readonly { readonly name: string; readonly arguments?: object }[],
    options: Pick<CallOptions, "timeout" | "signal" | "page"> = {},
  ): Promise<BatchResult[]> {
    const { timeout, signal, page } = options;
    const result = await this.#link.request("tools/callBatch", { calls, timeout, page }, { signal });
    return list<{ readonly result?: ToolResult; readonly error?: RpcFault }>(result, "results").map(
      ({ result, error }) => {
        return error === undefined && result !== undefined
          ? { result }
          : { error: EyeError.from(error ?? { code: 0, message: "no result" }) };
      },
    );
  }

  /** The value, or a short rendering of one that JSON cannot hold. */
  async eval(code: string, options: Pick<CallOptions, "page" | "timeout" | "signal"> = {}): Promise<unknown> {
    const { page, timeout, signal } = options;
    const result = await this.#link.request("eval", { code, page, timeout }, { signal, timeoutMs: lateMs(timeout) });
    if (!isObject(result)) return undefined;
    return "value" in result ? result.value : result.rendering === "undefined" ? undefined : result.rendering;
  }

  /** Tools that match the words, best first, each as a one-line signature. */
  async discover(query: string, options: { readonly page?: string | undefined } = {}): Promise<string[]> {
    return describe(rank(await this.tools(options), query));
  }

  /** Everything callable through the hub: its pages' tools, its own verbs, and the MCP servers of its gateway. */
  readonly gateway = {
    /** What matches the words, or what a JSONPath selects, as text for reading. */
    discover: async (query: string): Promise<string> => {
      const found = await this.#link.request("gateway/discover", { query });
      return isObject(found) ? String(found.text) : "";
    },
    /** Calls a tool by name, as `server::tool` if the bare name is ambiguous. `select`: a JSONPath into the result. */
    call: async (
      name: string,
      args: Params = {},
      { timeout, confirm, select, signal }: GatewayCallOptions = {},
    ): Promise<ToolResult> =>
      (await this.#link.request(
        "gateway/call",
        { name, arguments: args, timeout, confirm, select },
        { signal, timeoutMs: lateMs(timeout) },
      )) as ToolResult,
  };

  on<Name extends keyof AgentEvents>(event: Name, handler: Listener<AgentEvents[Name]>): void {
    this.#emitter.on(event, handler);
  }

  off<Name extends keyof AgentEvents>(event: Name, handler: Listener<AgentEvents[Name]>): void {
    this.#emitter.off(event, handler);
  }

  #notified(method: string, params: Params): void {
    switch (method) {
      case "tools/updated":
        this.#emitter.emit(method, {
          sessionId: String(params.sessionId),
          tools: list<ListedTool>(params, "tools"),
        });
        return;
      case "session/pageGone":
      case "session/pageBack":
        this.#emitter.emit(method, { sessionId: String(params.sessionId) });
        return;
      default:
    }
  }
}

function opening({ url, token, unix }: AgentOptions): OpenCarrier {
  if (unix !== undefined && url !== undefined)
    throw new EyeError(CODE_PARAMS, "url and unix are two ways to one hub", { hint: "name one of them" });
  if (unix !== undefined) return (events, signal) => openUnix(unix, events, signal);
  const door = doorUrl(url ?? URL_DEFAULT, "ws", { clientType: "agent" });
  return (events, signal) => openWebSocket(door, token, events, signal);
}

function lateMs(timeout: number | undefined): number | undefined {
  return timeout === undefined ? undefined : timeout + LATE_MS;
}

/** A list member of a result; anything else counts as empty. */
function list<Item>(result: unknown, name: string): Item[] {
  const items = isObject(result) ? result[name] : undefined;
  return Array.isArray(items) ? (items as Item[]) : [];
}
