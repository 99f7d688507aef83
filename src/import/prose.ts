/**
 * What a source says in words, as prose of the document. It stands in quotes of Markdown: so its headings begin no part, and
 * its blocks define nothing.
 */
export function quoted(text: string): string {
  return text
    .trim()
    .split(/\r\n|\n|\r/)
    .map((line) => `> ${cleaned(line)}`.trimEnd())
    .join("\n");
}

/** On one line of prose, with what Markdown would take for markup escaped. */
export function plain(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .replaceAll(/[\\`*_[\]<>&#~|]/g, String.raw`\$&`);
}

/** A fence is only shown, whatever its language; what cannot be seen is left out, and a quote in a quote stays one deep. */
function cleaned(line: string): string {
  return line
    .replaceAll(/[^\t\P{Cc}]/gu, "")
    .replace(/^((?:\s|[>*+-]|\d+[.)])*)(`{3,}|~{3,}).*$/, "$1$2")
    .replace(/^[\s>]{20,}/, (blanks) => blanks.slice(0, 20));
}
