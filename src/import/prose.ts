/**
 * Quotes descriptions of the source in the document's prose. Markdown quotes keep its headings from starting a part, and its
 * fences become indented code, so that its blocks define nothing.
 */
export function quoted(text: string): string {
  let fence: string | undefined;
  const lines = text
    .trim()
    .split(/\r\n|\n|\r/)
    .flatMap((written): readonly string[] => {
      const line = sanitizeLine(written);
      const delimiter = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence !== undefined) {
        const closes =
          delimiter !== undefined &&
          delimiter[0] === fence[0] &&
          delimiter.length >= fence.length &&
          line.trim() === delimiter;
        if (closes) fence = undefined;
        return [closes ? "" : `    ${line}`];
      }
      if (delimiter !== undefined) fence = delimiter;
      return [delimiter === undefined ? unfenced(line) : ""];
    });
  return lines.map((line) => `> ${line}`.trimEnd()).join("\n");
}

/** Returns a text as one line of prose, with Markdown syntax escaped. */
export function plain(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .replaceAll(/[\\`*_[\]<>&#~|]/g, String.raw`\$&`);
}

/** Removes control characters, and limits nesting that would be too deep to parse. */
function sanitizeLine(line: string): string {
  return line
    .replaceAll(/[^\t\P{Cc}]/gu, "")
    .replace(/^(?:[\s>]|[-*+]\s|\d+[.)]\s){20,}/, (prefix) => prefix.slice(0, 20));
}

/** Escapes fences inside lists or nested quotes, which would also begin a block. */
function unfenced(line: string): string {
  return line.replaceAll(/`{3,}|~{3,}/g, (prefix) => `\\${prefix.split("").join("\\")}`);
}
