// The lock of a session, which one document holds. Another tab that holds it answers when asked. A document that is
// being replaced does not answer, so its lock is waited for.

import { listen } from "./lasting.js";
import { HOLDER_MS, LOCK_WAIT_MS } from "./limits.js";

/** Returns the function that releases the lock, or `undefined` if another tab has it. */
export async function hold(name: string): Promise<(() => void) | undefined> {
  // Locks are missing outside of secure contexts, despite the types. Then the hub resolves duplicate ids.
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return () => undefined;
  const ended = new AbortController();
  const stopAsking = ask(name, () => ended.abort());
  const late = setTimeout(() => ended.abort(), LOCK_WAIT_MS);
  return new Promise<(() => void) | undefined>((resolve) => {
    locks
      .request(name, { signal: ended.signal }, () => {
        const stopAnswering = answer(name);
        return new Promise<void>((release) => {
          resolve(() => {
            stopAnswering();
            release();
          });
        });
      })
      .catch((error: unknown) => {
        // Sandboxed frames have no locks, but also no session storage that could be copied.
        resolve(/^AbortError/.test(String(error)) ? undefined : () => undefined);
      });
  }).finally(() => {
    clearTimeout(late);
    stopAsking();
  });
}

/** Asks who holds the lock, twice: a document that is going away may answer once, another tab answers both times. */
function ask(name: string, held: () => void): () => void {
  const channel = open(name);
  if (channel === undefined) return () => undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  channel.onmessage = ({ data }) => {
    if (data !== "held") return;
    if (again === undefined) {
      again = setTimeout(() => {
        channel.onmessage = (second) => second.data === "held" && held();
        channel.postMessage("asked");
      }, HOLDER_MS);
    }
  };
  channel.postMessage("asked");
  return () => {
    clearTimeout(again);
    channel.close();
  };
}

function answer(name: string): () => void {
  const channel = open(name);
  if (channel === undefined) return () => undefined;
  channel.onmessage = ({ data }) => data === "asked" && channel.postMessage("held");
  const answered = new AbortController();
  listen(window, ["pagehide"], () => channel.close(), answered);
  return () => {
    answered.abort();
    channel.close();
  };
}

function open(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}
