// Cuts long texts, so that what is published and answered stays small.

export function clip(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
}
