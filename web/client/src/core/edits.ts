// A list of insertions and replacements in a text. The way back from a place in the outcome is the file origin's.

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly put: string;
}

export interface Edits {
  readonly original: string;
  /** By their place. */
  readonly sorted: readonly Edit[];
  replace(start: number, end: number, put: string): void;
  insert(at: number, put: string): void;
  copy(): Edits;
  /** The edited text of the first `length` characters. */
  apply(length?: number): string;
}

export function editsOf(original: string, list: readonly Edit[] = []): Edits {
  // Those of one place stay in their order.
  let sorted = list;
  const replace: Edits["replace"] = (start, end, put) => {
    sorted = [...sorted, { start, end, put }].sort((a, b) => a.start - b.start);
  };
  return {
    original,
    get sorted() {
      return sorted;
    },
    replace,
    insert: (at, put) => replace(at, at, put),
    copy: () => editsOf(original, sorted),
    apply(length = original.length) {
      let text = "";
      let at = 0;
      for (const { start, end, put } of sorted) {
        if (start >= length && length < original.length) break;
        text += original.slice(at, start) + put;
        at = end;
      }
      return text + original.slice(at, length);
    },
  };
}
