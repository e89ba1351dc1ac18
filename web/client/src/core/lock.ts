// The lock of a session: one document holds it. Another tab that holds it answers when it is asked; a document that is
// being replaced does not, and its lock is waited for.

import { listen } from "./lasting.js";
import { HOLDER_MS, LOCK_WAIT_MS } from "./limits.js";

/** Gives the function that lets the lock go, or undefined if another tab has it. */
export async function hold(name: string): Promise<(() => void) | undefined> {
  // Missing outside of secure contexts, whatever the types say. A copied id is then the hub's to sort out.
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
        // Sandboxed frames have no locks; they have no memory to be copied either.
        resolve(/^AbortError/.test(String(error)) ? undefined : () => undefined);
      });
  }).finally(() => {
    clearTimeout(late);
    stopAsking();
  });
}

/**
 * Asks who holds the lock, again after a while: a document that is going may answer once, another tab does it twice.
 */
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
