/** Text functions that differ from JavaScript's: the language counts and compares code points, as both databases do. */

/**
 * Compares two texts by code points, as SQLite's BINARY and PostgreSQL's "C" do; returns a number below, equal to or above
 * zero.
 */
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

/** Whether a code unit is half of a character beyond U+FFFF; such characters sort after all others. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Returns the number of code points. */
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
 * Returns a text as a part of a URL: decomposed, without accents, in lower case, with a dash for each run of characters other
 * than `a-z` and `0-9`. `Crème brûlée!` becomes `creme-brulee`. May be empty.
 */
export function slugify(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
