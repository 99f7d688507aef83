/**
 * The codes of findings that only a comparison with an older document reports (`src/diff/findings.ts`). The document itself is
 * valid, so a comment can suppress these findings even if they are errors: with the comment, the author confirms an intended
 * break. Without the older document, such a comment does not count as unused.
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

/**
 * The codes of findings about operations that do not keep the contract that their callers know (`src/contracts/findings.ts`). They
 * need the plan, so a check that plans nothing does not report them.
 */
export const contractCodes = ["endpoints/contract-not-kept"] as const;
