// What the parts of the desktop know of each other: an app, what it is given, and the desk it is opened on.

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
  /** Shows a few words for a few seconds. */
  toast(title: string, text: string): void;
}

/** What is inside of one window. */
export interface Inside {
  readonly content: HTMLElement;
  /** Where the keyboard goes when the window gets it. */
  readonly first?: HTMLElement;
  closed?(): void;
}

export interface App {
  readonly id: string;
  readonly name: string;
  /** The icon as one character, for who reads and does not look. */
  readonly icon: string;
  readonly size: Size;
  /** Draws what stands on the app's tile. */
  glyph(): SVGElement;
  /** One line, in the start menu. */
  readonly about: string;
  /** The name of the window that this argument has; two of one name are one window. The app's id if not said. */
  key?(argument: string | undefined): string;
  open(desk: Desk, window: Pane, argument: string | undefined): Inside;
  /** Takes a message that was sent to the app; the result goes back to the sender. */
  message?(desk: Desk, message: unknown, from: string): unknown;
}

/** What an app may do with its own window. */
export interface Pane {
  title(text: string): void;
  /** Whether something in it would be lost. */
  unsaved(is: boolean): void;
}

/** The app of an id or a name, whatever its case. */
export function appNamed(apps: readonly App[], name: string): App | undefined {
  const wanted = name.toLowerCase();
  return apps.find(({ id }) => id.toLowerCase() === wanted) ?? apps.find(({ name }) => name.toLowerCase() === wanted);
}
