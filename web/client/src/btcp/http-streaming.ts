// BTCP over server-sent events and POST, for where WebSockets are blocked.

import { CODE_CONNECTION } from "../generated/protocol.js";
import { doorUrl } from "../wire/address.js";
import type { Carrier, CarrierEvents, OpenCarrier } from "../wire/carrier.js";
import { EyeError, messageOf } from "../wire/error.js";
import { openEvents } from "../wire/sse.js";
import { CLOSED_ABNORMALLY } from "../wire/websocket.js";
import { Provider } from "./provider.js";

export class HttpStreamingClient extends Provider {
  protected open(sessionId: string): OpenCarrier {
    return (events, signal) => this.#open(sessionId, events, signal);
  }

  async #open(sessionId: string, events: CarrierEvents, signal: AbortSignal): Promise<Carrier> {
    const { serverUrl, version, token } = this.settings;
    const proof: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const stream = new AbortController();
    const giveUp = (): void => stream.abort(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    await openEvents(
      doorUrl(serverUrl, "events", { sessionId, clientType: "browser", version }),
      proof,
      stream.signal,
      {
        event: ({ data }) => events.message(data),
        ended: (error) => {
          if (!stream.signal.aborted)
            events.closed(CLOSED_ABNORMALLY, error === undefined ? "the stream ended" : messageOf(error));
        },
      },
    );
    const door = doorUrl(serverUrl, "message");
    const post = async (body: string): Promise<void> => {
      const headers = { "content-type": "application/json", "x-session-id": this.getSessionId(), ...proof };
      const response = await fetch(door, { method: "POST", headers, body, signal: stream.signal });
      const text = await response.text();
      if (!response.ok)
        throw new EyeError(
          CODE_CONNECTION,
          `${door.host} answered ${String(response.status)} ${text.slice(0, 200)}`.trim(),
        );
      // What a server answers at once stands in the body.
      if (text !== "") events.message(text);
    };
    let last: Promise<void> = Promise.resolve();
    return {
      send: (body) => {
        // Requests of their own may overtake each other; a result must not overtake its progress.
        const sent = last.then(() => post(body));
        last = sent.catch(() => undefined);
        return sent;
      },
      close: () => stream.abort(new EyeError(CODE_CONNECTION, "disconnected")),
    };
  }
}
