// The entry "eye-client/btcp": the names of btcp-client, for code that imports that package.

export {
  BTCPClient,
  BTCPClient as default,
  type BTCPClientEventHandler,
  type BTCPClientEvents,
  type BTCPClientOptions,
  type BTCPClientOptions as BTCPClientConfig,
} from "./original/client.js";
export { ToolConsumer, type ToolConsumerConfig } from "./original/consumer.js";
export { ToolExecutor, type ToolHandler } from "./original/executor.js";
export type { BrowserAgent } from "./original/browser-tools.js";
export {
  BTCPConnectionError,
  type BTCPContent,
  BTCPError,
  BTCPExecutionError,
  type BTCPToolCallResult,
  type BTCPToolDefinition,
  BTCPToolNotFoundError,
  BTCPValidationError,
  createErrorResponse,
  createImageContent,
  createNotification,
  createRequest,
  createResourceContent,
  createResponse,
  createTextContent,
  createToolCallErrorResponse,
  createToolCallResponse,
  generateMessageId,
  isNotification,
  isRequest,
  isResponse,
  type JsonRpcError,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  parseMessage,
  serializeMessage,
} from "./original/messages.js";
export {
  BaseTransport,
  HttpStreamingTransport,
  type HttpStreamingTransportConfig,
  type Transport,
  type TransportConfig,
  type TransportEventHandler,
  type TransportEvents,
  WebSocketTransport,
  type WebSocketTransportConfig,
} from "./original/transport.js";
export { SocketNativeClient } from "./socket-native.js";
