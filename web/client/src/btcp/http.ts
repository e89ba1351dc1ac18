// A transport of server-sent events and POSTs, in BTCP's form that names the session in a header.

import { CODE_CONNECTION } from "../generated/protocol.js";
import { doorUrl } from "../wire/address.js";
import type { Carrier, CarrierEvents, OpenCarrier } from "../wire/carrier.js";
import { EyeError, messageOf } from "../wire/error.js";
import { parseFrame, isObject, isResponse } from "../wire/rpc.js";
import { openEvents } from "../wire/sse.js";
import { CLOSED_ABNORMALLY } from "../wire/websocket.js";

export interface HttpOptions {
  readonly serverUrl: string;
  readonly token: string | undefined;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Sent with every POST. */
  readonly headers: Readonly<Record<string, string>>;
  /** The session to request; the one that the server reports replaces it. */
  readonly sessionId: string;
}

export function openHttp(options: HttpOptions): OpenCarrier {
  return (events, signal) => open(options, events, signal);
}

async function open(options: HttpOptions, events: CarrierEvents, signal: AbortSignal): Promise<Carrier> {
  const { serverUrl, token, query, headers } = options;
  const proof: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const stream = new AbortController();
  let { sessionId } = options;
  signal.addEventListener("abort", () => stream.abort(signal.reason), { once: true });
  await openEvents(doorUrl(serverUrl, "events", query), proof, stream.signal, {
    event: ({ data }) => {
      sessionId = sessionOf(data) ?? sessionId;
      events.message(data);
    },
    ended: (error) => {
      if (!stream.signal.aborted)
        events.closed(CLOSED_ABNORMALLY, error === undefined ? "the stream ended" : messageOf(error));
    },
  });
  const door = doorUrl(serverUrl, "message");
  const post = async (body: string): Promise<void> => {
    const response = await fetch(door, {
      method: "POST",
      headers: { "content-type": "application/json", "x-session-id": sessionId, ...headers, ...proof },
      body,
      signal: stream.signal,
    });
    const text = await response.text();
    // A server may answer in the body of a POST, also when it refuses the request.
    const answers = parseFrame(text).some(isResponse);
    if (!response.ok && !answers)
      throw new EyeError(
        CODE_CONNECTION,
        `${door.host} answered ${String(response.status)} ${text.slice(0, 200)}`.trim(),
      );
    if (answers) events.message(text);
  };
  let last: Promise<void> = Promise.resolve();
  return {
    send: (body) => {
      // POSTs could overtake each other, but a result must not overtake its progress.
      const sent = last.then(() => post(body));
      last = sent.catch(() => undefined);
      return sent;
    },
    close: () => stream.abort(new EyeError(CODE_CONNECTION, "disconnected")),
  };
}

/** The session id in a greeting from the server. */
export function sessionOf(data: string): string | undefined {
  for (const message of parseFrame(data)) {
    const result = isResponse(message)
      ? message.id === "welcome" && message.result
      : message.method === "connected" && message.params;
    if (isObject(result) && typeof result.sessionId === "string") return result.sessionId;
  }
  return undefined;
}
