// The interfaces between the parts of the desktop: an app, its window, and the desk that opens it.

import type { Activity } from "./agents/activity.js";
import type { Pause } from "./agents/pause.js";
import type { Chat } from "./apps/chat-log.js";
import type { FileStore } from "./files/store.js";
import type { Size } from "./geometry.js";
import type { Pubsub } from "./pubsub.js";
import type { Frame } from "./shell/frame.js";
import type { Stack } from "./shell/stack.js";

export interface Desk {
  readonly user: string;
  readonly apps: readonly App[];
  readonly stack: Stack;
  readonly pubsub: Pubsub;
  readonly files: FileStore;
  readonly activity: Activity;
  readonly chat: Chat;
  readonly pause: Pause;
  /** Opens the app's window, or brings it to the front. `undefined`: there is no such app. */
  open(app: string, argument?: string): Frame | undefined;
  /** Shows a short message for a few seconds. */
  toast(title: string, text: string): void;
}

/** The content of one window. */
export interface Inside {
  readonly content: HTMLElement;
  /** The element that gets the focus with the window. */
  readonly first?: HTMLElement;
  closed?(): void;
}

export interface App {
  readonly id: string;
  readonly name: string;
  /** The icon as one character, for agents and screen readers. */
  readonly icon: string;
  readonly size: Size;
  /** Draws the picture on the app's tile. */
  glyph(): SVGElement;
  /** One line, in the start menu. */
  readonly about: string;
  /** The key of the window for this argument; two arguments with one key share a window. Defaults to the app's id. */
  key?(argument: string | undefined): string;
  open(desk: Desk, window: Pane, argument: string | undefined): Inside;
  /** Handles a message to the app; the result is returned to the sender. */
  message?(desk: Desk, message: unknown, from: string): unknown;
}

/** The app's access to its own window. */
export interface Pane {
  title(text: string): void;
  /** Marks whether closing the window would lose something. */
  unsaved(is: boolean): void;
}

/** Finds an app by id or name, ignoring case. */
export function appNamed(apps: readonly App[], name: string): App | undefined {
  const wanted = name.toLowerCase();
  return apps.find(({ id }) => id.toLowerCase() === wanted) ?? apps.find(({ name }) => name.toLowerCase() === wanted);
}
