// Server-sent events: a parser that takes text in any chunks, and a reader over fetch, which works in every runtime.

import { CODE_CONNECTION, MESSAGE_BYTES_MAX } from "../generated/protocol.js";
import { EyeError } from "./error.js";

export interface ServerEvent {
  /** `message` if the server sent no name. */
  readonly event: string;
  readonly data: string;
}

export class EventParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #chars = 0;
  #begun = false;

  push(text: string): ServerEvent[] {
    this.#rest += text;
    if (!this.#begun && this.#rest !== "") {
      this.#begun = true;
      this.#rest = this.#rest.replace(/^\ufeff/, "");
    }
    if (this.#rest.length + this.#chars > MESSAGE_BYTES_MAX)
      throw new EyeError(CODE_CONNECTION, "an event is over the limit");
    const events: ServerEvent[] = [];
    let from = 0;
    for (;;) {
      const end = lineEnd(this.#rest, from);
      if (end === undefined) break;
      const finished = this.#line(this.#rest.slice(from, end.at));
      if (finished !== undefined) events.push(finished);
      from = end.next;
    }
    this.#rest = this.#rest.slice(from);
    return events;
  }

  /** An empty line ends an event; an event without data is dropped. */
  #line(line: string): ServerEvent | undefined {
    if (line === "") {
      const event = { event: this.#event || "message", data: this.#data.join("\n") };
      const isEvent = this.#data.length > 0;
      this.#event = "";
      this.#data = [];
      this.#chars = 0;
      return isEvent ? event : undefined;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    if (field === "data") {
      this.#data.push(value);
      this.#chars += value.length;
    }
    return undefined;
  }
}

/** A `\r` at the end of the text may be half of `\r\n`, so the next chunk is waited for. */
function lineEnd(text: string, from: number): { readonly at: number; readonly next: number } | undefined {
  const newline = text.indexOf("\n", from);
  const before = newline < 0 ? text : text.slice(0, newline);
  const carriage = before.indexOf("\r", from);
  if (carriage < 0) return newline < 0 ? undefined : { at: newline, next: newline + 1 };
  if (carriage + 1 >= text.length) return undefined;
  return { at: carriage, next: carriage + (text[carriage + 1] === "\n" ? 2 : 1) };
}

/** Resolves when the server has answered; then come the events, and the end of the stream. */
export async function openEvents(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  on: { event(event: ServerEvent): void; ended(error: unknown): void },
): Promise<void> {
  const response = await fetch(url, {
    headers: { accept: "text/event-stream", ...headers },
    signal,
    cache: "no-store",
  });
  const { body } = response;
  if (!response.ok || body === null)
    throw new EyeError(
      CODE_CONNECTION,
      `${url.host} answered ${String(response.status)} ${(await response.text()).slice(0, 200)}`.trim(),
    );
  void read(body, on.event).then(on.ended, on.ended);
}

async function read(body: ReadableStream<Uint8Array>, event: (event: ServerEvent) => void): Promise<void> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const one of parser.push(decoder.decode(value, { stream: true }))) event(one);
  }
}
