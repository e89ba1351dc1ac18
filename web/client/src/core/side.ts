// Delayed callbacks: timers that hidden tabs do not slow down, by a small worker, and callbacks in the next task. Where
// the page's policy forbids the worker, the page's own timers are used.

const SOURCE = "onmessage=({data:[id,ms]})=>setTimeout(()=>postMessage(id),ms)";

export interface Side {
  /** Calls back once, after `ms` or a little later. */
  after(ms: number, then: () => void): void;
  close(): void;
}

/** The page's own timers. */
export const timers: Side = {
  after: (ms, then) => void setTimeout(then, ms),
  close: () => undefined,
};

/** Calls back in a task of its own, without a timer. */
export function soon(then: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    then();
  };
  port2.postMessage(0);
}

export function side(trustUrl: (url: string) => string): Side {
  const waiting = new Map<number, () => void>();
  let worker: Worker | undefined;
  let failed = false;
  let count = 0;

  const start = (): void => {
    if (worker !== undefined || failed) return;
    try {
      worker = new Worker(trustUrl(URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }))));
      worker.onmessage = ({ data }: MessageEvent<number>) => {
        const then = waiting.get(data);
        waiting.delete(data);
        then?.();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        failed = true;
        worker = undefined;
        const left = [...waiting.values()];
        waiting.clear();
        for (const then of left) then();
      };
    } catch {
      failed = true;
    }
  };

  return {
    after(ms, then) {
      start();
      if (worker === undefined) {
        setTimeout(then, ms);
        return;
      }
      waiting.set(++count, then);
      worker.postMessage([count, ms]);
    },
    close() {
      worker?.terminate();
      worker = undefined;
      waiting.clear();
    },
  };
}
