// BTCP over server-sent events and POST, where WebSockets are blocked.

import type { OpenCarrier } from "../wire/carrier.js";
import { openHttp } from "./http.js";
import { Provider } from "./provider.js";

export class HttpStreamingClient extends Provider {
  protected open(sessionId: string): OpenCarrier {
    const { serverUrl, version, token } = this.settings;
    const query = { sessionId, clientType: "browser", version };
    return openHttp({ serverUrl, token, query, headers: {}, sessionId });
  }
}
