// The messages on the topic `chat`, also while its window is closed. Renders nothing.

import type { Pubsub } from "../pubsub.js";

export interface Line {
  readonly from: string;
  readonly text: string;
  readonly at: number;
  readonly mine: boolean;
}

export const TOPIC = "chat";
/** The oldest lines are dropped. */
const LINES_LEN_MAX = 500;

export class Chat {
  readonly #lines: Line[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #pubsub: Pubsub;
  readonly #user: string;
  #unread = 0;

  constructor(pubsub: Pubsub, user: string) {
    this.#pubsub = pubsub;
    this.#user = user;
    pubsub.subscribe(TOPIC, (message, { from, timestamp }) =>
      this.#add({ from, text: textOf(message), at: timestamp, mine: from === user }),
    );
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  get unread(): number {
    return this.#unread;
  }

  say(text: string): void {
    this.#pubsub.publish(TOPIC, text, {}, this.#user);
  }

  /** Called when the window is in front: no line is unread then. */
  read(): void {
    if (this.#unread === 0) return;
    this.#unread = 0;
    this.#tell();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #add(line: Line): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_LEN_MAX) this.#lines.shift();
    if (!line.mine) this.#unread++;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The text of a message. It may be any value; programs commonly send `{text}` and `{msg}`. */
export function textOf(message: unknown): string {
  if (typeof message === "string") return message;
  const { text, msg } = (typeof message === "object" && message !== null ? message : {}) as {
    readonly text?: unknown;
    readonly msg?: unknown;
  };
  if (typeof text === "string") return text;
  return typeof msg === "string" ? msg : (JSON.stringify(message) ?? String(message));
}
