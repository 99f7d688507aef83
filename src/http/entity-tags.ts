/** Compares entity tags for If-Match and If-None-Match (RFC 9110 section 13, R4.15, R4.16). */

const codingSuffix = /-(?:br|gzip)"$/;

/** Returns the tags of an If-Match or If-None-Match field, or `*`; undefined if it is malformed. */
export function parseTags(field: string): "*" | readonly string[] | undefined {
  const text = field.trim();
  if (text === "*") return "*";
  const tags: string[] = [];
  const pattern = /\s*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")?\s*(,|$)/y;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    // Empty items are skipped (RFC 9110 section 5.6.1).
    if (match[1] !== undefined) tags.push(match[1]);
  }
  return tags.length === 0 ? undefined : tags;
}

/** Whether a tag matches by strong comparison; the tag of a compressed response matches the tag without the coding. */
export function matchesStrongly(tags: "*" | readonly string[], current: string): boolean {
  return tags === "*" || tags.some((tag) => tag.replace(codingSuffix, '"') === current);
}

export function matchesWeakly(tags: "*" | readonly string[], current: string): boolean {
  return (
    tags === "*" ||
    tags.some((tag) => tag.replace(/^W\//, "").replace(codingSuffix, '"') === current.replace(/^W\//, ""))
  );
}

/** Returns the tag of the response in a content coding (RFC 9110 section 8.8.3.3). */
export function encodedTag(tag: string, coding: "br" | "gzip"): string {
  return `${tag.slice(0, -1)}-${coding}"`;
}
