// The entry "eye-client": `connect` for pages, the BTCP clients for programs, `AgentClient` for agents.

import { connectWith, type ConnectOptions, type Eye } from "./core/connect.js";
import type { LoadPart, Offer, Parts } from "./core/part.js";

const modules: { readonly [Name in keyof Parts]: () => Promise<{ readonly offer: Offer<Parts[Name]> }> } = {
  tools: () => import("./tools/tools.js"),
  state: () => import("./state/state.js"),
  verbs: () => import("./page/verbs.js"),
  hands: () => import("./page/hands.js"),
  webmcp: async () => ({ offer: (await import("./webmcp/part.js")).webmcp }),
};
const load: LoadPart = async (name) => (await modules[name]()).offer;

/** Joins this page to its hub. Calling it again returns the same client. */
export function connect(options: ConnectOptions = {}): Eye {
  return connectWith(load, options);
}

export {
  AgentClient,
  type AgentEvents,
  type AgentOptions,
  type BatchResult,
  type CallOptions,
  type Progress,
  type SessionRow,
} from "./agent/agent.js";
export { signature, type ListedTool } from "./agent/signature.js";
export type { Content, ToolResult } from "./btcp/content.js";
export { ToolExecutor, type ToolHandler } from "./btcp/executor.js";
export { HttpStreamingClient } from "./btcp/http-streaming.js";
export type { ProviderOptions } from "./btcp/options.js";
export type { ProviderEvents, ToolDefinition } from "./btcp/provider.js";
export { SocketNativeClient } from "./btcp/socket-native.js";
export type { ConnectOptions, Eye } from "./core/connect.js";
export type { App, AppRow } from "./page/apps.js";
export type { Log } from "./core/journal.js";
export type { LookOptions, Target, Within } from "./generated/operations.js";
export type { PageVerbs, Queried, ScrollWish } from "./page/page-verbs.js";
export type { StateOptions, StateSource } from "./state/source.js";
export type { PublishOptions, Published, Subscriber, TopicMessage } from "./page/topics.js";
export type { Tool, ToolContext, ToolOptions } from "./tools/tool.js";
export { VERSION } from "./core/version.js";
export { EyeError } from "./wire/error.js";
export type { RpcMessage, RpcNotification, RpcRequest, RpcResponse } from "./wire/rpc.js";
