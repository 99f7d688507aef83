/** Lays out text for a terminal: columns, wrapped lines, numbers with their nouns. */

/** Returns the rows as lines with aligned cells, two blanks apart. */
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

/** Returns the text as lines of at most `width` columns; a longer word gets its own line. */
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

/** Joins names to `a`, `a and b`, or `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
