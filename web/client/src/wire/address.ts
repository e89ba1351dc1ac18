// The URLs of a server's endpoints, from any form of its address.

import { CODE_PARAMS } from "../generated/protocol.js";
import { EyeError } from "./error.js";

/** The base URL of the endpoints, from `ws://host:port`, `http://host/below/` or `wss://host/ws`. */
export function baseUrl(address: string): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new EyeError(CODE_PARAMS, `${JSON.stringify(address)} is no address of a server`, {
      hint: "write it as ws://localhost:8765",
    });
  }
  url.protocol = url.protocol.replace(/^http/, "ws");
  url.pathname = url.pathname.replace(/(?:\/+(?:ws|events))?\/*$/, "/");
  url.search = "";
  url.hash = "";
  return url;
}

export function doorUrl(
  address: string,
  door: "ws" | "events" | "message" | "rpc",
  query: Readonly<Record<string, string | undefined>> = {},
): URL {
  const url = new URL(door, baseUrl(address));
  if (door !== "ws") url.protocol = url.protocol.replace(/^ws/, "http");
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") url.searchParams.set(name, value);
  return url;
}
