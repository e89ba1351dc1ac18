// BTCP over one WebSocket.

import { doorUrl } from "../wire/address.js";
import type { OpenCarrier } from "../wire/carrier.js";
import { openWebSocket } from "../wire/websocket.js";
import { Provider } from "./provider.js";

export class SocketNativeClient extends Provider {
  protected open(sessionId: string): OpenCarrier {
    const { serverUrl, version, token } = this.settings;
    const url = doorUrl(serverUrl, "ws", { sessionId, clientType: "browser", version });
    return (events, signal) => openWebSocket(url, token, events, signal);
  }
}
