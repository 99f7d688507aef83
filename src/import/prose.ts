/**
 * What a source says in words, as prose of the document. It stands in quotes of Markdown, so that its headings begin no part;
 * and its fences become indented code, so that none of its blocks could define something.
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

/** On one line of prose, with what Markdown would take for markup escaped. */
export function plain(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .replaceAll(/[\\`*_[\]<>&#~|]/g, String.raw`\$&`);
}

/** What cannot be seen is left out, and what would nest too deeply to be read stays shallow. */
function sanitizeLine(line: string): string {
  return line
    .replaceAll(/[^\t\P{Cc}]/gu, "")
    .replace(/^(?:[\s>]|[-*+]\s|\d+[.)]\s){20,}/, (prefix) => prefix.slice(0, 20));
}

/** A fence in a list or in a quote of its own would be one, too. */
function unfenced(line: string): string {
  return line.replaceAll(/`{3,}|~{3,}/g, (prefix) => `\\${prefix.split("").join("\\")}`);
}
