// For agents: finds pages, calls their tools, evaluates in them. From Node or from a browser.

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
  /** Where the hub is, `ws://localhost:8765` if not said. */
  readonly url?: string | undefined;
  /** What `eye token show` prints. */
  readonly token?: string | undefined;
  /** The hub's Unix socket, which needs no token. Only in Node. */
  readonly unix?: string | undefined;
  /** Joined with every connection. */
  readonly session?: string | undefined;
}

export type { SessionRow };

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  /** In milliseconds; the tool's own, or 30 s, if not said. */
  readonly timeout?: number | undefined;
  /** Its abort cancels the call in the page. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** An id, an alias, or part of a title or URL. */
  readonly page?: string | undefined;
  /** Says yes to a tool with consequences. */
  readonly confirm?: boolean | undefined;
}

export type BatchResult = { readonly result: ToolResult } | { readonly error: EyeError };

export interface AgentEvents {
  readonly "tools/updated": readonly [news: { readonly sessionId: string; readonly tools: readonly ListedTool[] }];
  readonly "session/pageGone": readonly [news: { readonly sessionId: string }];
  readonly "session/pageBack": readonly [news: { readonly sessionId: string }];
  /** The connection is lost; unless `close()` did it, another is being made. */
  readonly close: readonly [code: number, reason: string];
}

const URL_DEFAULT = "ws://localhost:8765";
/** The hub ends calls at their timeout; this is how much later we stop to believe in it. */
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

  /** From now on calls go there, and its news are heard; also after a reconnect. Returns its tools. */
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

  /** One ending for each call, in their order. */
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

  /** The value; a short rendering of what JSON cannot hold. */
  async eval(code: string, options: Pick<CallOptions, "page" | "timeout" | "signal"> = {}): Promise<unknown> {
    const { page, timeout, signal } = options;
    const result = await this.#link.request("eval", { code, page, timeout }, { signal, timeoutMs: lateMs(timeout) });
    if (!isObject(result)) return undefined;
    return "value" in result ? result.value : result.rendering === "undefined" ? undefined : result.rendering;
  }

  /** Tools that fit these words, best first, each as one line that says how it is called. */
  async discover(query: string, options: { readonly page?: string | undefined } = {}): Promise<string[]> {
    return describe(rank(await this.tools(options), query));
  }

  /** Everything that the hub knows to call: its pages' tools, its own verbs, and the MCP servers of its gateway. */
  readonly gateway = {
    /** What fits words, or what a JSONPath selects, as text ready to be read. */
    discover: async (query: string): Promise<string> => {
      const found = await this.#link.request("gateway/discover", { query });
      return isObject(found) ? String(found.text) : "";
    },
    /** Calls one by its name, `server::tool` where two have it; `select` is a JSONPath over the result. */
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

/** A member of a result that is a list; anything else counts as an empty one. */
function list<Item>(result: unknown, name: string): Item[] {
  const items = isObject(result) ? result[name] : undefined;
  return Array.isArray(items) ? (items as Item[]) : [];
}
