// A list of insertions and replacements in a text. The way back from a place in the outcome is the file origin's.

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly put: string;
}

export class Edits {
  readonly #list: Edit[] = [];

  constructor(readonly original: string) {}

  /** By their place. */
  get sorted(): Edit[] {
    return [...this.#list].sort((a, b) => a.start - b.start);
  }

  get none(): boolean {
    return this.#list.length === 0;
  }

  replace(start: number, end: number, put: string): void {
    this.#list.push({ start, end, put });
  }

  insert(at: number, put: string): void {
    this.replace(at, at, put);
  }

  copy(): Edits {
    const copy = new Edits(this.original);
    copy.#list.push(...this.#list);
    return copy;
  }

  /** The edited text of the first `length` characters. */
  apply(length = this.original.length): string {
    let text = "";
    let at = 0;
    for (const { start, end, put } of this.sorted) {
      if (start >= length && length < this.original.length) break;
      text += this.original.slice(at, start) + put;
      at = end;
    }
    return text + this.original.slice(at, length);
  }
}
