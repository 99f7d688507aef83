/** Names and sentences inside of Mermaid's grammar. */

/**
 * As entities what could mean something: to a grammar (`;` ends a line, `:` begins a label, `#` an entity), to Markdown or to
 * HTML, which labels may hold. Mermaid writes them back before it draws.
 */
export function escaped(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.replaceAll(/[^\p{L}\p{N} .,'()=!?+/|-]/gu, (sign) => `#${sign.codePointAt(0) ?? 0};`);
}

/** An id that no keyword of a grammar is, and no other name has. */
export function idOf(kind: string, name: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9]*$/.test(name);
  const safe = plain
    ? name
    : [...name].map((sign) => (/[A-Za-z0-9]/.test(sign) ? sign : `_${sign.codePointAt(0) ?? 0}_`)).join("");
  return `${kind}_${safe}`;
}
