/** The findings of a check on a terminal. */
import { printDiagnostic } from "../diagnostics/text.ts";
import type { CheckResult } from "../parts/check.ts";
import type { Terminal } from "./terminal.ts";

export function printFindings(result: CheckResult, terminal: Terminal, write: (text: string) => void): void {
  for (const diagnostic of result.diagnostics) {
    write(`${printDiagnostic(diagnostic, { name: result.name, text: result.text, colour: terminal.colour })}\n`);
  }
}
