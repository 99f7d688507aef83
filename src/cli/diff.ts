/** `nonet diff OLD NEW`: what differs between two documents, whom it breaks, and what is not declared. */
import { markdownOf } from "../diff/markdown.ts";
import { isComparisonCode } from "../language/analysis/comparison.ts";
import { type Compared, compareFiles } from "./comparing.ts";
import { jsonOf, textOf } from "./diff-report.ts";
import { printDiagnostics } from "../diagnostics/text.ts";
import type { Terminal } from "../server/terminal.ts";

export interface DiffOptions {
  readonly format: "text" | "json" | "markdown";
}

export async function diff(older: string, newer: string, { format }: DiffOptions, terminal: Terminal): Promise<number> {
  const compared = await compareFiles(older, newer, terminal);
  terminal.out(print[format](compared));
  const { result, open } = compared;
  // What is wrong in the newer document by itself cannot be compared, so nothing is known of it.
  const errors = result.diagnostics.filter(({ severity, code }) => severity === "error" && !isComparisonCode(code));
  terminal.err(printDiagnostics({ ...result, diagnostics: errors }, terminal));
  return open.size > 0 || errors.length > 0 ? 1 : 0;
}

const print: Readonly<Record<DiffOptions["format"], (compared: Compared) => string>> = {
  text: textOf,
  json: (compared) => `${JSON.stringify(jsonOf(compared), null, 2)}\n`,
  markdown: ({ comparison, open }) => markdownOf(comparison, open),
};
