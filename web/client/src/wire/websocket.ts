// A WebSocket as a carrier: the platform's own if there is one, else the package `ws`.

import { CODE_CONNECTION } from "../generated/protocol.js";
import type { Carrier, CarrierEvents } from "./carrier.js";
import { EyeError } from "./error.js";

type Constructor = new (url: string, protocols: string[]) => WebSocket;

/** The close code for a connection that ended without one. */
export const CLOSED_ABNORMALLY = 1006;

export async function openWebSocket(
  url: URL,
  token: string | undefined,
  events: CarrierEvents,
  signal: AbortSignal,
): Promise<Carrier> {
  const Socket = await constructor();
  return new Promise((resolve, reject) => {
    // Browsers cannot send headers here, so a subprotocol carries the token; the server accepts the other subprotocol.
    const socket = new Socket(url.href, token === undefined ? ["eye"] : ["eye", `bearer.${token}`]);
    let state: "opening" | "open" | "ended" = "opening";
    let trouble = "";
    const refuse = (message: string): void => {
      if (state === "opening") reject(new EyeError(CODE_CONNECTION, message));
      state = "ended";
    };
    const giveUp = (): void => {
      refuse(`no connection to ${url.host}: ${String(signal.reason)}`);
      socket.close();
    };
    signal.addEventListener("abort", giveUp, { once: true });
    socket.onopen = () => {
      if (state !== "opening") return;
      signal.removeEventListener("abort", giveUp);
      state = "open";
      resolve({
        send: async (text) => {
          if (socket.readyState !== OPEN) throw new EyeError(CODE_CONNECTION, "Not connected");
          socket.send(text);
        },
        close: (code = 1000, reason = "") => {
          state = "ended";
          socket.close(code, reason);
        },
      });
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === "string" && state === "open") events.message(data);
    };
    // Browsers give no reason here; `ws` reports the HTTP status of a refusal.
    socket.onerror = (event: Event & { readonly message?: unknown }) => {
      if (typeof event.message === "string") trouble = event.message;
    };
    socket.onclose = ({ code, reason }) => {
      const wasOpen = state === "open";
      refuse(`no connection to ${url.host}${trouble === "" ? "" : `: ${trouble}`}`);
      if (wasOpen) events.closed(code, reason);
    };
  });
}

const OPEN = 1;

async function constructor(): Promise<Constructor> {
  const own = (globalThis as { WebSocket?: Constructor }).WebSocket;
  if (own !== undefined) return own;
  // In a variable, so that bundlers do not follow it: browsers have a WebSocket, and programs may not need this
  // package.
  const name = "ws";
  try {
    return ((await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as { WebSocket: Constructor }).WebSocket;
  } catch (error) {
    throw new EyeError(CODE_CONNECTION, "this Node has no WebSocket", {
      hint: "npm install ws, or use Node 22",
      cause: error,
    });
  }
}
