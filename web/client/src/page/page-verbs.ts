// What the page's own code may ask of `eye`: the verbs that agents have, topics, and the page's applications.

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

/** The verbs of the table of operations. Those that give more than text, or take more from the page, are here again. */
export interface PageVerbs extends PageOperations {
  query(target: Target, options?: QueryOptions): Promise<Queried | readonly Queried[]>;
  fill(target: Target, value: string, options?: Within): Promise<string>;
  /** A whole form, and then a click. */
  fill(
    fields: Readonly<Record<string, string>> | readonly (readonly [Target, string])[],
    options?: Within & { readonly click?: Target },
  ): Promise<string>;
  scroll(target?: Target | ScrollWish, options?: ScrollWish): Promise<string>;
  /** The first truthy value of a function or expression, or the outline's line of a target that is visible. */
  wait(what: Target | (() => unknown), options?: Within): Promise<unknown>;
  logs(options?: LogsOptions): Promise<readonly Log[]>;
  publish(topic: string, message: unknown, options?: PublishOptions): Promise<Published>;
  /** The function it gives takes it back. */
  subscribe(topic: string, heard: Subscriber): Promise<() => void>;
  request(topic: string, message: unknown, options?: { readonly timeout?: number }): Promise<unknown>;
  respond(original: unknown, response: unknown): Promise<Published>;
  /** Puts a message into the mailbox that agents read. */
  tell(message: unknown): Promise<void>;
  /** Hears what agents write to this page; the event `eye:message` of the window says the same. */
  onMessage(heard: (message: unknown) => void): Promise<() => void>;
  app(app: App): Promise<() => void>;
  apps(): Promise<readonly AppRow[]>;
}

export interface ScrollWish extends Omit<ScrollOptions, "to"> {
  readonly to?: ScrollOptions["to"] | readonly [x: number, y: number] | undefined;
}
