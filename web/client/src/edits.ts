// A list of insertions and replacements in a text, and the way back from a place in the outcome to the original.

export interface Position {
  readonly line: number;
  readonly column: number;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export class Edits {
  readonly #edits: Edit[] = [];

  constructor(readonly original: string) {}

  get none(): boolean {
    return this.#edits.length === 0;
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  copy(): Edits {
    const copy = new Edits(this.original);
    copy.#edits.push(...this.#edits);
    return copy;
  }

  /** The edited text of the first `length` characters. */
  apply(length = this.original.length): string {
    let text = "";
    let at = 0;
    for (const edit of this.#sorted()) {
      if (edit.start >= length && length < this.original.length) break;
      text += this.original.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return text + this.original.slice(at, length);
  }

  /** Where in the original a place of the edited text came from. */
  locate(edited: Position): Position {
    const offset = offsetOf(this.apply(), edited);
    let shift = 0;
    for (const edit of this.#sorted()) {
      const start = edit.start + shift;
      if (start > offset) break;
      if (offset < start + edit.text.length) return positionOf(this.original, edit.start);
      shift += edit.text.length - (edit.end - edit.start);
    }
    return positionOf(this.original, offset - shift);
  }

  #sorted(): Edit[] {
    return [...this.#edits].sort((a, b) => a.start - b.start);
  }
}

function offsetOf(text: string, { line, column }: Position): number {
  let offset = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf("\n", offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return Math.min(offset + column - 1, text.length);
}

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
