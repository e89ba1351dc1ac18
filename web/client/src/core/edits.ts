// A list of insertions and replacements in a text. Mapping positions back to the original is the business of
// `origin.ts`.

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly put: string;
}

export interface Edits {
  readonly original: string;
  /** Sorted by position. */
  readonly sorted: readonly Edit[];
  replace(start: number, end: number, put: string): void;
  insert(at: number, put: string): void;
  copy(): Edits;
  /** The edited text of the first `length` characters. */
  apply(length?: number): string;
}

export function editsOf(original: string, list: readonly Edit[] = []): Edits {
  // Edits at the same position keep their order.
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
