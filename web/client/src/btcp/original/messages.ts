// The helpers of btcp-client that make and recognize messages, content and errors.

import type { RpcFault, RpcId, RpcMessage, RpcNotification, RpcRequest, RpcResponse } from "../../wire/rpc.js";
import { isObject } from "../../wire/rpc.js";

export type JsonRpcRequest = RpcRequest;
export type JsonRpcNotification = RpcNotification;
export type JsonRpcResponse = RpcResponse;
export type JsonRpcError = RpcFault;

export interface BTCPContent {
  readonly type: string;
  readonly text?: string | undefined;
  readonly data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly uri?: string | undefined;
  readonly [more: string]: unknown;
}

export interface BTCPToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly capabilities?: readonly string[];
  readonly [more: string]: unknown;
}

export interface BTCPToolCallResult {
  readonly content: readonly BTCPContent[];
  readonly isError: boolean;
}

export class BTCPError extends Error {
  override readonly name: string = "BTCPError";

  constructor(
    message: string,
    readonly code: number,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export class BTCPConnectionError extends BTCPError {
  override readonly name = "BTCPConnectionError";

  constructor(message: string, data?: unknown) {
    super(message, -32000, data);
  }
}

export class BTCPValidationError extends BTCPError {
  override readonly name = "BTCPValidationError";

  constructor(message: string, data?: unknown) {
    super(message, -32602, data);
  }
}

export class BTCPExecutionError extends BTCPError {
  override readonly name = "BTCPExecutionError";

  constructor(message: string, data?: unknown) {
    super(message, -32603, data);
  }
}

export class BTCPToolNotFoundError extends BTCPError {
  override readonly name = "BTCPToolNotFoundError";

  constructor(tool: string) {
    super(`Tool not found: ${tool}`, -32601);
  }
}

let made = 0;

export function generateMessageId(): string {
  return `btcp-${String(Date.now())}-${String(++made)}`;
}

export function createRequest(method: string, params?: Record<string, unknown>): JsonRpcRequest {
  return { jsonrpc: "2.0", id: generateMessageId(), method, ...(params === undefined ? {} : { params }) };
}

export function createNotification(method: string, params?: Record<string, unknown>): JsonRpcNotification {
  return { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
}

export function createResponse(id: RpcId, result?: unknown, error?: JsonRpcError): JsonRpcResponse {
  return error === undefined ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error };
}

export function createErrorResponse(id: RpcId, code: number, message: string, data?: unknown): JsonRpcResponse {
  return createResponse(id, undefined, data === undefined ? { code, message } : { code, message, data });
}

export function createTextContent(text: string): BTCPContent {
  return { type: "text", text };
}

export function createImageContent(data: string, mimeType = "image/png"): BTCPContent {
  return { type: "image", data, mimeType };
}

export function createResourceContent(uri: string, text?: string, mimeType?: string): BTCPContent {
  return { type: "resource", uri, text, mimeType };
}

export function createToolCallResponse(id: RpcId, content: readonly BTCPContent[]): JsonRpcResponse {
  return createResponse(id, { content, isError: false });
}

/** Only an error: a JSON-RPC response cannot have a result as well. */
export function createToolCallErrorResponse(id: RpcId, error: Error | string): JsonRpcResponse {
  const message = typeof error === "string" ? error : error.message;
  return createErrorResponse(id, error instanceof BTCPError ? error.code : -32603, message);
}

/** Parses a message; `null` if it is not JSON-RPC. */
export function parseMessage(data: string): RpcMessage | null {
  try {
    const parsed: unknown = JSON.parse(data);
    return isObject(parsed) && parsed.jsonrpc === "2.0" ? (parsed as unknown as RpcMessage) : null;
  } catch {
    return null;
  }
}

export function serializeMessage(message: RpcMessage): string {
  return JSON.stringify(message);
}

export function isRequest(message: RpcMessage): message is JsonRpcRequest {
  return "method" in message && "id" in message;
}

export function isResponse(message: RpcMessage): message is JsonRpcResponse {
  return !("method" in message) && "id" in message;
}

export function isNotification(message: RpcMessage): message is JsonRpcNotification {
  return "method" in message && !("id" in message);
}
