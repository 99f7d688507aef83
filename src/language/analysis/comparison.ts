/**
 * What only a comparison with an older document finds (`src/diff/findings.ts`). The document is sound by itself, so these
 * findings can be silenced even where they are errors: the comment is its author's word that callers will notice and that
 * it is meant. Without the older document nothing is known of them, and a comment that silences one is not called unused.
 */
export const comparisonCodes = [
  "versioning/breaking-change",
  "versioning/entry-without-difference",
  "versioning/limit-lowered",
  "versioning/removed-before-sunset",
  "versioning/right-narrowed",
  "versioning/undeclared-change",
] as const;

export type ComparisonCode = (typeof comparisonCodes)[number];

export function isComparisonCode(code: string): boolean {
  return comparisonCodes.some((one) => one === code);
}
