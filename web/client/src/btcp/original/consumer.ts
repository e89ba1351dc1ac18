// `ToolConsumer`: lists and calls tools, of a client in the same program or of a server by `POST /rpc`.

import { doorUrl } from "../../wire/address.js";
import { messageOf } from "../../wire/error.js";
import { isObject } from "../../wire/rpc.js";
import type { ToolExecutor } from "./executor.js";
import { type BTCPContent, type BTCPToolCallResult, type BTCPToolDefinition, createRequest } from "./messages.js";

/** The part of a `BTCPClient` that a consumer uses. */
export interface LocalTools {
  getExecutor(): ToolExecutor;
  execute(name: string, args?: Record<string, unknown>): Promise<BTCPToolCallResult>;
}

export interface ToolConsumerConfig {
  readonly serverUrl?: string | undefined;
  readonly client?: LocalTools | undefined;
  readonly timeout?: number | undefined;
  readonly debug?: boolean | undefined;
  /** The page whose tools are meant, if there are several. Not part of BTCP. */
  readonly sessionId?: string | undefined;
  readonly token?: string | undefined;
}

const TIMEOUT_MS = 30_000;

export class ToolConsumer {
  readonly #config: ToolConsumerConfig;

  constructor(config: ToolConsumerConfig = {}) {
    this.#config = config;
    if (config.client === undefined && (config.serverUrl ?? "") === "")
      throw new Error("ToolConsumer requires either a client (local) or serverUrl (remote)");
  }

  isLocal(): boolean {
    return this.#config.client !== undefined;
  }

  async listTools(): Promise<BTCPToolDefinition[]> {
    const { client } = this.#config;
    if (client !== undefined) return client.getExecutor().getToolDefinitions();
    return (await this.#ask("tools/list", {})) as BTCPToolDefinition[];
  }

  /** Never rejects: a failure is a result with `isError`. */
  async callTool(name: string, args: Record<string, unknown> = {}): Promise<BTCPToolCallResult> {
    const { client } = this.#config;
    if (client !== undefined) return client.execute(name, args);
    try {
      const result = await this.#ask("tools/call", { name, arguments: args });
      const content = isObject(result) && Array.isArray(result.content) ? (result.content as BTCPContent[]) : [];
      return { content, isError: isObject(result) && result.isError === true };
    } catch (error) {
      return { content: [{ type: "text", text: `Error: ${messageOf(error)}` }], isError: true };
    }
  }

  async #ask(method: string, params: Record<string, unknown>): Promise<unknown> {
    const { serverUrl = "", timeout = TIMEOUT_MS, token, sessionId } = this.#config;
    const response = await fetch(doorUrl(serverUrl, "rpc"), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(sessionId === undefined ? {} : { "x-session-id": sessionId }),
      },
      body: JSON.stringify(createRequest(method, params)),
      signal: AbortSignal.timeout(timeout),
    });
    if (!response.ok) throw new Error(`HTTP error: ${String(response.status)}`);
    const { error, result } = (await response.json()) as { error?: { message?: string }; result?: unknown };
    if (error !== undefined) throw new Error(error.message ?? "Unknown error");
    return result;
  }
}
