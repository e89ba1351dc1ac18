// The trace of a run, one line per instruction: only its beginning and its end, because the middle of a long run does
// not help a reader.

import { OPCODES } from "./opcodes.js";

const HEAD_MAX = 32;
const TAIL_MAX = 32;

const NAMES = new Map<number, string>(Object.entries(OPCODES).map(([name, opcode]) => [opcode, name]));

export class Trace {
  readonly #head: string[] = [];
  /** A ring: the oldest line is at `#count % TAIL_MAX`. */
  readonly #tail: (() => string)[] = [];
  #count = 0;

  note(word: number, opcode: number, dest: number, first: number, second: number, value: number): void {
    const line = (): string =>
      `${String(word)} ${NAMES.get(opcode) ?? `?${String(opcode)}`} ${String(dest)} ${String(first)} ${String(second)}${dest < 32 ? ` R${String(dest)}=${String(value)}` : ""}`;
    if (this.#head.length < HEAD_MAX) this.#head.push(line());
    else this.#tail[this.#count++ % TAIL_MAX] = line;
  }

  get lines(): readonly string[] {
    const from = this.#count % TAIL_MAX;
    const tail = this.#count <= TAIL_MAX ? this.#tail : [...this.#tail.slice(from), ...this.#tail.slice(0, from)];
    const between = this.#count - tail.length;
    return [...this.#head, ...(between > 0 ? [`… ${String(between)} more …`] : []), ...tail.map((line) => line())];
  }
}
