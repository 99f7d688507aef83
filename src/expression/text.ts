/** Text functions that differ from JavaScript's: the language counts and compares code points, as both databases do. */

/** Less than, equal to or more than zero, by code points: the order of SQLite's BINARY and PostgreSQL's "C". */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

/** Half of a character beyond U+FFFF, which sorts after all others. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The number of code points. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      length -= 1;
      i += 1;
    }
  }
  return length;
}

/**
 * A text as a part of an address: decomposed, without accents, in lower case, each run of anything but `a-z` and `0-9` one
 * dash. `Crème brûlée!` becomes `creme-brulee`. May be empty.
 */
export function slugify(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
