/**
 * The type of a finding about a document. Findings are collected and never thrown; the other files of this folder print them.
 */
import type { Span } from "../base/span.ts";

export type Severity = "error" | "warning" | "hint";

/** An edit that fixes the finding: replaces the text of `span` with `text`. */
export interface Fix {
  readonly title: string;
  readonly span: Span;
  readonly text: string;
}

export interface Diagnostic {
  /** `part/slug`, permanent, never reused; each code has a page. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence that names the subject and the problem. */
  readonly message: string;
  readonly span: Span;
  /** Why the problem matters: one sentence. */
  readonly why?: string;
  /** What to write instead: one sentence, with the text to write in backticks. */
  readonly help?: string;
  readonly fix?: Fix;
  /** The words that are valid in place of `span`, where they are a closed list: an editor completes them. */
  readonly known?: readonly string[];
}

/** Sorts by position in the file, then by code; findings with the same code and position keep their order. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) => a.span.start.offset - b.span.start.offset || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
}
