/** The findings of a check as a person reads them. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { printDiagnostic } from "../diagnostics/text.ts";
import type { CheckResult } from "../language/check.ts";
import type { Terminal } from "./terminal.ts";

/** Nobody reads more of them at once, and a mistake that is repeated on each line of a large document has many. */
const mostPrinted = 200;

/** An empty line after each. Beyond `mostPrinted` errors are printed rather than warnings, then the earlier ones. */
export function findings({ name, text, diagnostics }: CheckResult, { colour }: Pick<Terminal, "colour">): string {
  const printed = diagnostics.length > mostPrinted ? gravest(diagnostics) : diagnostics;
  const more = diagnostics.length - printed.length;
  return [
    ...printed.map((diagnostic) => `${printDiagnostic(diagnostic, { name, text, colour })}\n`),
    ...(more === 0 ? [] : [`… and ${more.toLocaleString("en-US")} more: nonet check --format json gives all\n\n`]),
  ].join("");
}

/** The most that are printed, in their order. */
function gravest(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const others = diagnostics.filter(({ severity }) => severity !== "error");
  const chosen = new Set([...errors, ...others].slice(0, mostPrinted));
  return diagnostics.filter((diagnostic) => chosen.has(diagnostic));
}
