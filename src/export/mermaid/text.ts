/** Escapes names and sentences for Mermaid. */

/**
 * Escapes characters that have a meaning in Mermaid (`;` ends a line, `:` starts a label, `#` an entity) or in the Markdown and
 * HTML of labels. Mermaid decodes the entities before it draws.
 */
export function escaped(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.replaceAll(/[^\p{L}\p{N} .,'()=!?+/|-]/gu, (sign) => `#${sign.codePointAt(0) ?? 0};`);
}

/** Returns a unique id that differs from all Mermaid keywords. */
export function idOf(kind: string, name: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9]*$/.test(name);
  const safe = plain
    ? name
    : [...name].map((sign) => (/[A-Za-z0-9]/.test(sign) ? sign : `_${sign.codePointAt(0) ?? 0}_`)).join("");
  return `${kind}_${safe}`;
}
