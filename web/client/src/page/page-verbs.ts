// The methods of `eye` for the page's own code: the verbs that agents have, topics, and the page's applications.

import type {
  LogsOptions,
  PageOperations,
  QueryOptions,
  ScrollOptions,
  Target,
  Within,
} from "../generated/operations.js";
import type { App, AppRow } from "./apps.js";
import type { Log } from "../core/journal.js";
import type { PublishOptions, Published, Subscriber } from "./topics.js";

export interface Queried {
  readonly tag: string;
  readonly id: string;
  readonly className: string;
  readonly text: string;
  readonly html?: string;
  readonly rect?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** The verbs of the table of operations. Those with other results or params in the page are declared again here. */
export interface PageVerbs extends PageOperations {
  query(target: Target, options?: QueryOptions): Promise<Queried | readonly Queried[]>;
  fill(target: Target, value: string, options?: Within): Promise<string>;
  /** Fills a whole form, then clicks. */
  fill(
    fields: Readonly<Record<string, string>> | readonly (readonly [Target, string])[],
    options?: Within & { readonly click?: Target },
  ): Promise<string>;
  scroll(target?: Target | ScrollWish, options?: ScrollWish): Promise<string>;
  /** Resolves with the first truthy value of a function or expression, or with the line of a visible target. */
  wait(what: Target | (() => unknown), options?: Within): Promise<unknown>;
  logs(options?: LogsOptions): Promise<readonly Log[]>;
  publish(topic: string, message: unknown, options?: PublishOptions): Promise<Published>;
  /** The returned function unsubscribes. */
  subscribe(topic: string, subscriber: Subscriber): Promise<() => void>;
  request(topic: string, message: unknown, options?: { readonly timeout?: number }): Promise<unknown>;
  respond(original: unknown, response: unknown): Promise<Published>;
  /** Puts a message into the mailbox that agents read. */
  tell(message: unknown): Promise<void>;
  /** Called with messages from agents to this page; the window's event `eye:message` carries the same. */
  onMessage(listener: (message: unknown) => void): Promise<() => void>;
  app(app: App): Promise<() => void>;
  apps(): Promise<readonly AppRow[]>;
}

export interface ScrollWish extends Omit<ScrollOptions, "to"> {
  readonly to?: ScrollOptions["to"] | readonly [x: number, y: number] | undefined;
}
