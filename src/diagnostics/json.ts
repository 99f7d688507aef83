/** One complaint as the JSON that `nonet check --format json` publishes. */
import type { Diagnostic, Severity } from "./diagnostic.ts";

/** Lines and columns count from 1, columns in UTF-16 code units; the end is not included. */
export interface DiagnosticJson {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** Absent when there is nothing to advise. */
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
