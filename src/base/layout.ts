/** Text for a terminal: columns, lines that fit, numbers with their nouns. */

/** Rows with their cells below one another, two blanks between them. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, value] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, value.length);
  return rows.map((row) =>
    row
      .map((value, at) => value.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The words of a text on lines of at most `width` columns; a longer word gets its own line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
