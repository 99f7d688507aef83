/** The findings of a check as a person reads them. */
import { printDiagnostic } from "../diagnostics/text.ts";
import type { CheckResult } from "../parts/check.ts";
import type { Terminal } from "./terminal.ts";

/** An empty line after each. */
export function findings({ name, text, diagnostics }: CheckResult, { colour }: Pick<Terminal, "colour">): string {
  return diagnostics.map((diagnostic) => `${printDiagnostic(diagnostic, { name, text, colour })}\n`).join("");
}
