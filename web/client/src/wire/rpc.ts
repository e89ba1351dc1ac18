// JSON-RPC 2.0 messages, parsed once where they arrive.

export type RpcId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: Params;
}

export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
}

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcResponse {
  readonly jsonrpc: "2.0";
  readonly id: RpcId | null;
  readonly result?: unknown;
  readonly error?: RpcFault;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

export function isRequest(message: RpcMessage): message is RpcRequest {
  return "method" in message && "id" in message;
}

export function isResponse(message: RpcMessage): message is RpcResponse {
  return !("method" in message);
}

/** The messages of one frame; invalid ones are left out. */
export function parseFrame(text: string): RpcMessage[] {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(frame) ? (frame as unknown[]) : [frame]).flatMap((one) => parseMessage(one) ?? []);
}

function parseMessage(value: unknown): RpcMessage | undefined {
  if (!isObject(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params, result, error } = value;
  const known = typeof id === "string" || typeof id === "number" ? id : undefined;
  const members = isObject(params) ? { params } : {};
  if (typeof method === "string")
    return known === undefined
      ? { jsonrpc: "2.0", method, ...members }
      : { jsonrpc: "2.0", id: known, method, ...members };
  if (error === undefined) return known === undefined ? undefined : { jsonrpc: "2.0", id: known, result };
  return { jsonrpc: "2.0", id: known ?? null, error: parseFault(error) };
}

function parseFault(error: unknown): RpcFault {
  const { code, message, data } = isObject(error) ? error : {};
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : String(error),
    data,
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
