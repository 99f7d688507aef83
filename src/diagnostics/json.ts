/** Converts a finding to the JSON that `nonet check --format json` prints. */
import type { Diagnostic, Severity } from "./diagnostic.ts";

/** A finding in JSON. Lines and columns count from 1, columns in UTF-16 code units; the end is not included. */
export interface DiagnosticJson {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** What to write instead; absent if there is no advice. */
  readonly help?: string;
}

export function diagnosticJson(diagnostic: Diagnostic): DiagnosticJson {
  const { code, severity, message, span, help } = diagnostic;
  return {
    code,
    severity,
    message,
    line: span.start.line,
    column: span.start.column,
    endLine: span.end.line,
    endColumn: span.end.column,
    ...(help !== undefined && { help }),
  };
}
