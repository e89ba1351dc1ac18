// Timers that hidden tabs do not slow down, from a small worker beside the page. A page's policy may forbid it; then timers are the page's own.

const SOURCE = "onmessage=({data:[id,ms]})=>setTimeout(()=>postMessage(id),ms)";

export class Side {
  readonly #waiting = new Map<number, () => void>();
  readonly #trustUrl: (url: string) => string;
  #worker: Worker | undefined;
  #failed = false;
  #count = 0;

  constructor(trustUrl: (url: string) => string) {
    this.#trustUrl = trustUrl;
  }

  /** Calls back once, after `ms` or a little later. */
  after(ms: number, then: () => void): void {
    const worker = this.#start();
    if (worker === undefined) {
      setTimeout(then, ms);
      return;
    }
    this.#waiting.set(++this.#count, then);
    worker.postMessage([this.#count, ms]);
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#waiting.clear();
  }

  #start(): Worker | undefined {
    if (this.#worker !== undefined || this.#failed) return this.#worker;
    try {
      const worker = new Worker(this.#trustUrl(URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }))));
      worker.onmessage = ({ data }: MessageEvent<number>) => {
        const then = this.#waiting.get(data);
        this.#waiting.delete(data);
        then?.();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.#failed = true;
        this.#worker = undefined;
        const waiting = [...this.#waiting.values()];
        this.#waiting.clear();
        for (const then of waiting) then();
      };
      this.#worker = worker;
    } catch {
      this.#failed = true;
    }
    return this.#worker;
  }
}
