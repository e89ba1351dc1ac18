// The hub's Unix socket as a carrier. Node only.

import { CODE_CONNECTION } from "../generated/protocol.js";
import type { Carrier, CarrierEvents } from "./carrier.js";
import { EyeError, messageOf } from "./error.js";
import { encodeFrame, FrameReader } from "./framing.js";
import { CLOSED_ABNORMALLY } from "./websocket.js";

/** The part of Node's socket that is used here, so that Node's types are not needed. */
interface Socket {
  on(event: "connect" | "close", listener: () => void): void;
  on(event: "data", listener: (bytes: Uint8Array) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void;
  end(): void;
  destroy(): void;
}

export async function openUnix(path: string, events: CarrierEvents, signal: AbortSignal): Promise<Carrier> {
  // In a variable, so that bundlers do not follow it: browsers have no such sockets.
  const name = "node:net";
  const net = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as { connect(path: string): Socket };
  return new Promise((resolve, reject) => {
    const socket = net.connect(path);
    const reader = new FrameReader();
    let state: "opening" | "open" | "ended" = "opening";
    let reason = "";
    const end = (why: string): void => {
      const was = state;
      state = "ended";
      socket.destroy();
      if (was === "opening")
        reject(new EyeError(CODE_CONNECTION, `no hub at ${path}: ${why}`, { hint: "start one with `eye up`" }));
      else if (was === "open") events.closed(CLOSED_ABNORMALLY, why);
    };
    signal.addEventListener("abort", () => {
      if (state === "opening") end(String(signal.reason));
    });
    socket.on("connect", () => {
      if (state !== "opening") return;
      state = "open";
      resolve({
        send: (text) =>
          new Promise((sent, failed) =>
            socket.write(encodeFrame(text), (error) =>
              error ? failed(new EyeError(CODE_CONNECTION, messageOf(error))) : sent(),
            ),
          ),
        close: () => {
          state = "ended";
          socket.end();
        },
      });
    });
    socket.on("data", (bytes) => {
      try {
        for (const frame of reader.push(bytes)) if (state === "open") events.message(frame);
      } catch (error) {
        end(messageOf(error));
      }
    });
    socket.on("error", (error) => {
      reason = messageOf(error);
    });
    socket.on("close", () => end(reason));
  });
}
