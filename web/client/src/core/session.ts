// The session of this document: an id from the page, from the tab's memory, or a new one. It is claimed by a lock,
// because browsers copy a tab's memory into duplicated and opened tabs.

import { hold } from "./lock.js";

export interface Claim {
  readonly id: string;
  release(): void;
}

const KEY = "eye.session";
const LOST_KEY = "eye.lost";
const INSTEAD_KEY = "eye.instead.";
const VALID = /^[A-Za-z0-9_.-]{1,64}$/;
const NEW_ID_CHARS = 10;
const RADIX = 36;

export function isSessionId(text: string): boolean {
  return VALID.test(text);
}

export async function claimSession(explicit: string | undefined): Promise<Claim> {
  const key = KEY + framePath();
  const wish = explicit === undefined ? recall(key) : (recall(INSTEAD_KEY + explicit) ?? explicit);
  const lost = recall(LOST_KEY + framePath());
  if (wish !== undefined && isSessionId(wish) && wish !== lost) {
    const release = await hold(lockOf(wish));
    if (release !== undefined) {
      remember(key, wish);
      return { id: wish, release };
    }
  }
  const id = newId();
  remember(key, id);
  return { id, release: (await hold(lockOf(id))) ?? (() => undefined) };
}

/** The hub assigned another id than was requested; this tab requests that one from now on. */
export function rememberSession(id: string, wanted: string | undefined): string {
  remember(KEY + framePath(), id);
  if (wanted !== undefined) remember(INSTEAD_KEY + wanted, id);
  return id;
}

/** Marks an id that this tab must not claim again. */
export function loseSession(id: string): void {
  remember(LOST_KEY + framePath(), id);
}

export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(NEW_ID_CHARS)), (byte) =>
    (byte % RADIX).toString(RADIX),
  ).join("");
}

/** Frames of one origin share the tab's memory, so each has a key of its own; empty for the top. */
function framePath(): string {
  let path = "";
  for (let at: Window = window; at !== at.parent; at = at.parent) {
    let index = 0;
    while (index < at.parent.length && at.parent[index] !== at) index++;
    path = `.${index}${path}`;
  }
  return path;
}

function lockOf(id: string): string {
  return `${KEY}.${id}`;
}

function recall(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(key: string, id: string): void {
  try {
    sessionStorage.setItem(key, id);
  } catch {
    // Sandboxed frames have no session storage: they get a new id with every load.
  }
}
