// Finds the position of a syntax error: an uncaught error of a worker is the only way to learn it without running code.

import type { Position } from "../core/origin.js";

const SOURCE = `onerror=(m,u,line,column)=>{postMessage(/SyntaxError/.test(m)?{line,column}:0);return true};
onmessage=({data:[code,isAsync]})=>{new(isAsync?(async()=>{}).constructor:Function)(code);postMessage(0)}`;

/** The function constructor adds two lines before the body. */
const CONSTRUCTOR_LINES = 2;

/** `undefined` if the page's policy allows no worker, or if the code compiles. Never rejects. */
export function misplaced(
  code: string,
  async: boolean,
  trustUrl: (url: string) => string,
): Promise<Position | undefined> {
  return new Promise((resolve) => {
    try {
      const worker = new Worker(trustUrl(URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }))));
      const answer = (place: Position | undefined): void => {
        worker.terminate();
        resolve(place && within(code, { line: place.line - CONSTRUCTOR_LINES, column: place.column }));
      };
      worker.onmessage = ({ data }: MessageEvent<Position | 0>) => answer(data || undefined);
      worker.onerror = (event) => {
        event.preventDefault();
        answer(undefined);
      };
      worker.postMessage([code, async]);
    } catch {
      resolve(undefined);
    }
  });
}

/** The engine reports something missing at the end on the line that the constructor adds. */
function within(code: string, place: Position): Position {
  const lines = code.split("\n");
  const last = lines[place.line - 1];
  return last === undefined ? { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 } : place;
}
