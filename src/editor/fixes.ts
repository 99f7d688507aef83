/** The edits that an editor offers for findings: the fix of the finding, and the acceptance of a warning with a reason. */
import type { Span } from "../base/span.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { lineText, spanIn } from "../document/source.ts";
import type { Analysis } from "./analysis.ts";
import { partAt } from "./blocks.ts";
import type { TextEdit } from "./rename.ts";

export interface QuickFix {
  readonly title: string;
  readonly diagnostic: Diagnostic;
  readonly edit: TextEdit;
  readonly isPreferred: boolean;
}

/** Returns the fixes of the findings that a span touches. */
export function fixesFor(analysis: Analysis, span: Span): readonly QuickFix[] {
  return analysis.result.diagnostics
    .filter((one) => one.span.start.offset <= span.end.offset && one.span.end.offset >= span.start.offset)
    .flatMap((diagnostic): QuickFix[] => {
      const { fix } = diagnostic;
      const accept = acceptance(analysis, diagnostic);
      return [
        ...(fix === undefined ? [] : [{ title: fix.title, diagnostic, edit: fix, isPreferred: true }]),
        ...(accept === undefined ? [] : [{ ...accept, diagnostic, isPreferred: false }]),
      ];
    });
}

/** Returns the edit that writes `# ok slug: reason` above the finding; undefined for an error, and outside of blocks. */
function acceptance(
  { lines, name, text }: Analysis,
  { code, severity, span }: Diagnostic,
): Pick<QuickFix, "title" | "edit"> | undefined {
  if (severity === "error" || !partAt(name, text, span.start.offset).isBlock || text.trimStart().startsWith("{"))
    return undefined;
  const at = lines.starts[span.start.line - 1] ?? 0;
  const indent = /^\s*/.exec(lineText(lines, span.start.line - 1))?.[0] ?? "";
  const slug = code.slice(code.indexOf("/") + 1);
  return {
    title: `Accept \`${slug}\` with a reason`,
    edit: { span: spanIn(lines, at, at), text: `${indent}# ok ${slug}: reason\n` },
  };
}
