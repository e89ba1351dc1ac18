// A small worker beside the page: timers that hidden tabs do not slow down, and places of syntax errors.
// A page's policy may forbid it; then timers are the page's own and places stay unknown.

import type { Position } from "./edits.js";

/** Compiles without running: an uncaught error is the only way to learn where code does not compile. */
const SOURCE = `let n;onerror=(m,u,line,column)=>{postMessage(/SyntaxError/.test(m)?[n,{line,column}]:[n]);return true};
onmessage=({data:[id,ms,code,isAsync]})=>{if(code===undefined)setTimeout(()=>postMessage([id]),ms);
else{n=id;new(isAsync?(async()=>{}).constructor:Function)(code);postMessage([id])}}`;

const CONSTRUCTOR_LINES = 2;

type Answer = (place: Position | undefined) => void;

export class Side {
  readonly #waiting = new Map<number, Answer>();
  readonly #trustUrl: (url: string) => string;
  #worker: Worker | undefined;
  #failed = false;
  #count = 0;

  constructor(trustUrl: (url: string) => string) {
    this.#trustUrl = trustUrl;
  }

  /** Calls back once, after `ms` or a little later. */
  after(ms: number, then: () => void): void {
    if (!this.#ask(() => then(), ms)) setTimeout(then, ms);
  }

  misplaced(code: string, async: boolean): Promise<Position | undefined> {
    return new Promise((resolve) => {
      const answer: Answer = (place) => resolve(place && within(code, { line: place.line - CONSTRUCTOR_LINES, column: place.column }));
      if (!this.#ask(answer, 0, code, async)) resolve(undefined);
    });
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#waiting.clear();
  }

  #ask(answer: Answer, ms: number, ...rest: [] | [code: string, async: boolean]): boolean {
    const worker = this.#start();
    if (worker === undefined) return false;
    const id = ++this.#count;
    this.#waiting.set(id, answer);
    worker.postMessage([id, ms, ...rest]);
    return true;
  }

  #start(): Worker | undefined {
    if (this.#worker !== undefined || this.#failed) return this.#worker;
    try {
      const url = URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }));
      const worker = new Worker(this.#trustUrl(url));
      worker.onmessage = ({ data }: MessageEvent<[number, Position?]>) => {
        const answer = this.#waiting.get(data[0]);
        this.#waiting.delete(data[0]);
        answer?.(data[1]);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.#failed = true;
        this.#worker = undefined;
        const waiting = [...this.#waiting.values()];
        this.#waiting.clear();
        for (const answer of waiting) answer(undefined);
      };
      this.#worker = worker;
    } catch {
      this.#failed = true;
    }
    return this.#worker;
  }
}

/** The engine puts what is missing at the end behind the code, on the line that the constructor adds. */
function within(code: string, place: Position): Position {
  const lines = code.split("\n");
  const last = lines[place.line - 1];
  return last === undefined ? { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 } : place;
}
