/** The order in which complaints are shown. */
import type { Diagnostic } from "./diagnostic.ts";

/** By place in the file, then by code; complaints of one code at one place keep their order. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) => a.span.start.offset - b.span.start.offset || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
}
