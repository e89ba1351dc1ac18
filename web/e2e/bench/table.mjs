// Prints a table as Markdown with aligned columns, for a terminal and a page alike.

const NUMBER = /^[\d.,]*(?: %)?$/;

/** Columns of numbers are right-aligned. */
export function table(title, head, rows) {
  const lines = [head, ...rows].map((row) => row.map(String));
  const length = (text) => [...text].length;
  const columns = head.map((_, at) => {
    const cells = lines.map((line) => line[at]);
    return { width: Math.max(3, ...cells.map(length)), right: cells.slice(1).every((cell) => NUMBER.test(cell)) };
  });
  const pad = (text, at) => {
    const space = " ".repeat(columns[at].width - length(text));
    return columns[at].right ? space + text : text + space;
  };
  const rule = columns.map(({ width, right }) => (right ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  const shown = [lines[0].map(pad), rule, ...lines.slice(1).map((line) => line.map(pad))];
  console.log(`\n### ${title}\n\n${shown.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}`);
}

export function percent(part, whole) {
  return `${((part / whole) * 100).toFixed(0)} %`;
}
