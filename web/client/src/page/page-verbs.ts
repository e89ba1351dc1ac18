// What the page's own code may ask of `eye`: the verbs that agents have, topics, and the page's applications.

import type { App, AppRow } from "./apps.js";
import type { Log } from "../core/journal.js";
import type { PublishOptions, Published, Subscriber } from "./topics.js";

/** A ref of `look` (`e5`), `text=…`, `css=…`, a CSS selector, or the element itself. */
export type Target = string | Element;

export interface Within {
  /** ms; 5,000 if not said. */
  readonly timeout?: number | undefined;
}

export interface LookOptions {
  /** What is outside of the viewport too. */
  readonly all?: boolean | undefined;
  /** Only what changed since the last look. */
  readonly since?: boolean | undefined;
}

export interface Queried {
  readonly tag: string;
  readonly id: string;
  readonly className: string;
  readonly text: string;
  readonly html?: string;
  readonly rect?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** Acting verbs say what changed, as text. */
export interface PageVerbs {
  look(target?: Target | LookOptions, options?: LookOptions): Promise<string>;
  text(target?: Target): Promise<string>;
  query(target: Target, options?: { readonly all?: boolean }): Promise<Queried | readonly Queried[]>;
  click(target: Target, options?: Within): Promise<string>;
  hover(target: Target, options?: Within): Promise<string>;
  check(target: Target, options?: Within): Promise<string>;
  uncheck(target: Target, options?: Within): Promise<string>;
  fill(target: Target, value: string, options?: Within): Promise<string>;
  /** A whole form, and then a click. */
  fill(
    fields: Readonly<Record<string, string>> | readonly (readonly [Target, string])[],
    options?: Within & { readonly click?: Target },
  ): Promise<string>;
  type(target: Target, value: string, options?: Within): Promise<string>;
  /** By value or by what is read; several where the list allows it. */
  select(target: Target, value: string | readonly string[], options?: Within): Promise<string>;
  press(keys: string, target?: Target | Within, options?: Within): Promise<string>;
  scroll(target?: Target | ScrollWish, options?: ScrollWish): Promise<string>;
  drag(from: Target, to: Target | readonly [number, number], options?: Within): Promise<string>;
  upload(
    target: Target,
    files: readonly (Blob | { readonly name: string; readonly type?: string; readonly base64: string })[],
    options?: Within,
  ): Promise<string>;
  /** The first truthy value of a function or expression, or the outline's line of a target that is visible. */
  wait(what: Target | (() => unknown), options?: Within): Promise<unknown>;
  logs(options?: { readonly all?: boolean; readonly level?: Log["level"] }): Promise<readonly Log[]>;
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
  open(app: string): Promise<unknown>;
  send(app: string, message: unknown): Promise<unknown>;
}

export interface ScrollWish extends Within {
  readonly by?: readonly [x: number, y: number] | undefined;
  readonly to?: "up" | "down" | "top" | "bottom" | readonly [x: number, y: number] | undefined;
}
