// What "eye-client" offers: to a page `connect`, to a program the BTCP clients, to whoever asks `AgentClient`.

import { connectWith, type ConnectOptions, type Eye } from "./connect.js";
import type { LoadPart, Offer, Parts } from "./part.js";

const modules: { readonly [Name in keyof Parts]: () => Promise<{ readonly offer: Offer<Parts[Name]> }> } = {
  tools: () => import("./tools.js"),
  state: () => import("./state.js"),
  verbs: () => import("./verbs.js"),
  hands: () => import("./hands.js"),
  webmcp: async () => ({ offer: (await import("./webmcp/part.js")).webmcp }),
};
const load: LoadPart = async (name) => (await modules[name]()).offer;

/** Joins this page to its hub; twice is one client. */
export function connect(options: ConnectOptions = {}): Eye {
  return connectWith(load, options);
}

export { AgentClient, type AgentEvents, type AgentOptions, type BatchResult, type CallOptions, type Progress, type SessionRow } from "./agent/agent.js";
export { signature, type ListedTool } from "./agent/signature.js";
export type { Content, ToolResult } from "./btcp/content.js";
export { ToolExecutor, type ToolHandler } from "./btcp/executor.js";
export { HttpStreamingClient } from "./btcp/http-streaming.js";
export type { ProviderOptions } from "./btcp/options.js";
export type { ProviderEvents, ToolDefinition } from "./btcp/provider.js";
export { SocketNativeClient } from "./btcp/socket-native.js";
export type { ConnectOptions, Eye } from "./connect.js";
export type { App, AppRow } from "./apps.js";
export type { Log } from "./logs.js";
export type { LookOptions, PageVerbs, Queried, ScrollWish, Target, Within } from "./page-verbs.js";
export type { StateOptions, StateSource } from "./source.js";
export type { PublishOptions, Published, Subscriber, TopicMessage } from "./topics.js";
export type { Tool, ToolContext, ToolOptions } from "./tool.js";
export { VERSION } from "./version.js";
export { EyeError } from "./wire/error.js";
export type { RpcMessage, RpcNotification, RpcRequest, RpcResponse } from "./wire/rpc.js";
