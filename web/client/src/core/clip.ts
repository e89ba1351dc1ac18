// Shortens a text to a number of characters, and marks the cut.

export function clip(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text;
}
